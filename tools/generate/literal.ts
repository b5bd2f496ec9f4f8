import { isNode } from './node.ts';

/** Source code to insert unchanged. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value as source code, indented from its second line on. `of` may replace an object by code. */
export function literal(
  value: unknown,
  indent = '',
  of: (value: object) => Code | undefined = () => undefined,
): string {
  if (value instanceof Code) return value.text;
  const deeper = `${indent}    `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const all = value.map((one) => literal(one, deeper, of));
    const line = `[${all.join(', ')}]`;
    return line.length < 80 && !line.includes('\n')
      ? line
      : `[\n${all.map((one) => deeper + one).join(',\n')}\n${indent}]`;
  }
  if (isNode(value)) {
    const code = of(value);
    if (code) return code.text;
    const entries = Object.entries(value).filter(([, one]) => one !== undefined);
    if (entries.length === 0) return '{}';
    return `{\n${entries.map(([key, one]) => `${deeper}${keyOf(key)}: ${literal(one, deeper, of)}`).join(',\n')}\n${indent}}`;
  }
  return typeof value === 'string' ? quoted(value) : String(JSON.stringify(value));
}

/** A text as source code, in single quotes. */
export function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner.replace(/[\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`)}'`;
}

function keyOf(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** A comment above a declaration. */
export function comment(lines: readonly string[], indent = ''): string {
  return [`${indent}/**`, ...lines.map((line) => `${indent} *${line && ` ${line}`}`), `${indent} */`].join('\n');
}

/** A call as source code. */
export function callOf(name: string, args: readonly unknown[]): Code {
  return new Code(`${name}(${args.map((arg) => literal(arg, '        ')).join(', ')})`);
}
