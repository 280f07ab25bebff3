// One setting of a form.
import { useId } from "preact/hooks";
import type { Setting, Value } from "./types";

type Props = {
  setting: Setting;
  text: string;
  changed: boolean;
  onChange: (text: string) => void;
};

/** A value as it would be typed. */
export function textOf(value: Value): string {
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}

export function Field({ setting, text, changed, onChange }: Props) {
  const help = useId();
  return (
    <label class={`field ${changed ? "changed" : ""}`}>
      <span>
        {setting.name}
        {changed && <em> changed</em>}
      </span>
      <Input setting={setting} text={text} help={help} onChange={onChange} />
      <small id={help} title={setting.allowed}>
        {setting.description}
        <span class="allowed">; {setting.allowed}</span>
      </small>
    </label>
  );
}

type InputProps = Omit<Props, "changed"> & { help: string };

function Input({ setting, text, help, onChange }: InputProps) {
  const hear = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  const choices = setting.kind === "switch" ? ["true", "false"] : setting.choices;
  if (choices.length > 0)
    return (
      <select
        value={text}
        aria-label={setting.name}
        aria-describedby={help}
        onChange={hear}
      >
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {setting.kind === "switch" ? (choice === "true" ? "yes" : "no") : choice}
          </option>
        ))}
      </select>
    );
  const numeric = setting.kind === "whole" || setting.kind === "number";
  return (
    <input
      value={text}
      aria-label={setting.name}
      aria-describedby={help}
      inputMode={numeric ? "decimal" : "text"}
      spellcheck={false}
      autocomplete="off"
      onInput={hear}
    />
  );
}
