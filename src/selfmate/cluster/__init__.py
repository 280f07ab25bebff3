"""Work for more than one machine: tasks go to workers, which are actors of Ray, and come back.

Nothing in here knows chess. Ray is imported only when a pool is opened.
"""
