"""The lab: a page in the browser that trains, plays and shows, and the server behind it."""
