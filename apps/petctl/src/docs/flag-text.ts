import { boundsOf, kindOf } from '../parse/value.ts';
import { isSettingName } from '../settings/profiles.ts';
import { settings } from '../settings/settings.ts';
import type { Argument, Flag } from '../tree/node.ts';

/** `-o, --output <format>`. */
export function flagNames({ name, short, negatable, rules, value }: Flag): string {
  const names = `${short ? `-${short}, ` : ''}--${negatable ? '[no-]' : ''}${name}`;
  const kind = kindOf(rules);
  return kind === 'boolean' ? names : `${names} <${value ?? kind}>`;
}

/** `<user-id>`, or `[topic...]`. */
export function argumentName({ name, required, rest }: Argument): string {
  const text = rest ? `${name}...` : name;
  return required ? `<${text}>` : `[${text}]`;
}

/** What it is, and what the spec and the settings say of its values. */
export function aboutFlag(flag: Flag): string {
  const { name, field, required, rules, insteadOf } = flag;
  const setting = field === undefined && isSettingName(name) ? settings[name] : undefined;
  return withNotes(flag, [
    required && 'required',
    ...occurrences(flag),
    insteadOf !== undefined && `--${insteadOf} is petctl's own`,
    rules.default !== undefined && `server default: ${rules.default}`,
    rules.deprecated && 'deprecated',
    setting?.shown && `default: ${setting.shown}`,
    setting?.env,
  ]);
}

/** How often a flag may be given, and how several values stand in one. */
function occurrences({ repeatable, field, property, rules }: Flag): string[] {
  const kind = kindOf(rules);
  if (!repeatable || kind === 'boolean') return [];
  const input = (field ?? property) !== undefined;
  const also =
    input && kind === 'array' ? 'a,b and JSON too' : input && kind === 'object' ? 'key=value or JSON' : undefined;
  return ['may be given more than once', ...(also ? [also] : [])];
}

export function aboutArgument(argument: Argument): string {
  return withNotes(argument, []);
}

function withNotes({ description, rules }: Flag | Argument, more: readonly (string | false | undefined)[]): string {
  const notes = [boundsOf(rules), ...more].filter((note) => note);
  return notes.length > 0 ? `${description.replace(/\.$/, '')} (${notes.join('; ')}).` : description;
}
