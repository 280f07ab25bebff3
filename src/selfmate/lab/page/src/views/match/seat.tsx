// Who sits at which side of the board.

export function Seat({ name, colour }: { name: string; colour: "White" | "Black" }) {
  return (
    <p class="seat">
      <span class={`disc ${colour.toLowerCase()}`} aria-hidden="true" /> {name}{" "}
      <span class="quiet">{colour}</span>
    </p>
  );
}
