// The settings of a run; those that are not at their defaults stand out.
import { textOf } from "./field";
import type { Learner, Value } from "./types";

type Props = { config: Record<string, Value>; learner: Learner | undefined };

export function SettingsTable({ config, learner }: Props) {
  const rows = Object.entries(config).map(([name, value]) => {
    const setting = learner?.settings.find((one) => one.name === name);
    const changed = setting !== undefined && textOf(setting.default) !== textOf(value);
    return { name, value: textOf(value), changed, about: setting?.description ?? "" };
  });
  const changed = rows.filter((row) => row.changed).length;
  rows.sort((one, other) => Number(other.changed) - Number(one.changed));
  return (
    <details class="card settings">
      <summary>
        Settings ({changed === 0 ? "all at their defaults" : `${changed} changed`})
      </summary>
      <table>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} class={row.changed ? "changed" : ""}>
              <th scope="row">{row.name}</th>
              <td>{row.value}</td>
              <td class="quiet">{row.about}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
