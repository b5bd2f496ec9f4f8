// TypeScript source code: values, comments, calls and imports.
import type { Operation } from '@petstore/types';
import { defined, isNode, type Node } from './document.ts';

/** Source code to insert unchanged. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** A value as source code, indented from its second line on. `codeFor` returns the code for an object, or undefined for the default. */
export function literal(
  value: unknown,
  indent = '',
  codeFor: (value: object) => Code | undefined = () => undefined,
): string {
  if (value instanceof Code) return value.text;
  const deeper = `${indent}    `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const elements = value.map((element) => literal(element, deeper, codeFor));
    const line = `[${elements.join(', ')}]`;
    if (line.length < 80 && !line.includes('\n')) return line;
    return `[\n${elements.map((element) => deeper + element).join(',\n')}\n${indent}]`;
  }
  if (isNode(value)) {
    const code = codeFor(value);
    if (code) return code.text;
    const properties = Object.entries(defined<Node>(value));
    if (properties.length === 0) return '{}';
    const lines = properties.map(([key, property]) => `${deeper}${keyOf(key)}: ${literal(property, deeper, codeFor)}`);
    return `{\n${lines.join(',\n')}\n${indent}}`;
  }
  return typeof value === 'string' ? quoted(value) : String(JSON.stringify(value));
}

/** A string as source code, in single quotes. */
export function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner.replace(/[\u2028\u2029]/g, (separator) => `\\u${separator.charCodeAt(0).toString(16)}`)}'`;
}

/** A name with only characters that may be in a name in code. */
export function identifier(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^(\d)/, '_$1');
}

function keyOf(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** A comment above a declaration. */
export function docComment(lines: readonly string[]): string {
  return ['/**', ...lines.map((line) => ` *${line && ` ${line}`}`), ' */'].join('\n');
}

/** The comment that editors show for an operation: summary, description, and deprecation. */
export function operationComment({
  summary,
  description,
  stability,
  deprecated,
  deprecatedSince,
  sunset,
  successor,
}: Operation): string[] {
  const lines = [summary, ...(description ? ['', ...description.split('\n')] : [])];
  if (stability) lines.push('', `Stability: ${stability}.`);
  if (deprecated) {
    const until = sunset ? ` It will be removed on ${sunset}.` : '';
    const instead = successor ? ` Use \`${successor}\` instead.` : '';
    lines.push('', `@deprecated since ${deprecatedSince ?? 'now'}.${until}${instead}`);
  }
  return lines.map((line) => line.replaceAll('*/', '*\\/'));
}

/** Collects the imports of a generated module. */
export class Imports {
  readonly #values = new Map<string, Set<string>>();
  readonly #types = new Map<string, Set<string>>();
  readonly #declared: ReadonlySet<string>;

  /** `declared` are the names that the module declares. An imported value with such a name is renamed. */
  constructor(declared: readonly string[] = []) {
    this.#declared = new Set(declared);
  }

  value(name: string, from: string): Code {
    const isDeclared = this.#declared.has(name);
    add(this.#values, isDeclared ? `${name} as ${name}_` : name, from);
    return new Code(isDeclared ? `${name}_` : name);
  }

  /** A call of an imported function. */
  call(name: string, from: string, args: readonly unknown[]): Code {
    return new Code(`${this.value(name, from)}(${args.map((arg) => literal(arg, '        ')).join(', ')})`);
  }

  type(name: string, from: string): string {
    return add(this.#types, name, from);
  }

  /** The import statements. */
  toString(): string {
    const lines = (all: ReadonlyMap<string, ReadonlySet<string>>, keyword: string) =>
      [...all].map(([from, names]) => `${keyword} { ${[...names].sort().join(', ')} } from '${from}';`);
    return [...lines(this.#types, 'import type'), ...lines(this.#values, 'import')].map((line) => `${line}\n`).join('');
  }
}

function add(all: Map<string, Set<string>>, name: string, from: string): string {
  all.set(from, (all.get(from) ?? new Set()).add(name));
  return name;
}
