/** Collects the imports of a generated module. */
export class Imports {
  readonly #values = new Map<string, Set<string>>();
  readonly #types = new Map<string, Set<string>>();
  readonly #declared: ReadonlySet<string>;

  /** `declared` are the names that the module declares. */
  constructor(declared: readonly string[] = []) {
    this.#declared = new Set(declared);
  }

  value(name: string, from: string): string {
    const isTaken = this.#declared.has(name);
    add(this.#values, isTaken ? `${name} as ${name}_` : name, from);
    return isTaken ? `${name}_` : name;
  }

  type(name: string, from: string): string {
    return add(this.#types, name, from);
  }

  written(): string {
    const lines = (all: ReadonlyMap<string, ReadonlySet<string>>, keyword: string) =>
      [...all].map(([from, names]) => `${keyword} { ${[...names].sort().join(', ')} } from '${from}';`);
    return [...lines(this.#types, 'import type'), ...lines(this.#values, 'import')].map((line) => `${line}\n`).join('');
  }
}

function add(all: Map<string, Set<string>>, name: string, from: string): string {
  all.set(from, (all.get(from) ?? new Set()).add(name));
  return name;
}
