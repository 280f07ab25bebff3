// One of a few, all in sight: radio buttons that look like one button with parts.

type Props<Value extends string> = {
  legend: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChoose: (value: Value) => void;
};

export function Choice<Value extends string>({ legend, options, value, onChoose }: Props<Value>) {
  return (
    <fieldset class="choice-bar">
      <legend>{legend}</legend>
      {options.map(([one, title]) => (
        <label key={one}>
          <input
            type="radio"
            name={legend}
            value={one}
            checked={one === value}
            onChange={() => onChoose(one)}
          />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  );
}
