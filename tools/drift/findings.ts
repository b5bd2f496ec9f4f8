// Findings: what contradicts the spec, where, and how to end it.
import { isDeepStrictEqual } from 'node:util';
import { printJson } from './exact-json.ts';

/** Adds a finding if two values differ. */
export type Expect = (what: string, found: unknown, wanted: unknown) => void;

/** No check prints more findings than this: what is behind them is usually the same. */
const MOST = 20;

/** The findings of one check. */
export class Findings {
  readonly #title: string;
  readonly #fix: string;
  readonly #byCause = new Map<string, { example: string; fix: string; count: number }>();

  /** `fix` says how most findings of the check are ended. */
  constructor(title: string, fix: string) {
    this.#title = title;
    this.#fix = fix;
  }

  /** Adds a contradiction. Those with the same cause are one finding, which shows the first example. */
  add(cause: string, example = '', fix = this.#fix): void {
    const known = this.#byCause.get(cause);
    if (known) known.count++;
    else this.#byCause.set(cause, { example, fix, count: 1 });
  }

  readonly expect: Expect = (cause, found, wanted) => {
    if (!isDeepStrictEqual(found, wanted)) this.add(cause, `${shown(found)}, not ${shown(wanted)}`);
  };

  /** `expect` for causes that begin with a subject. */
  expectOf(subject: string): Expect {
    return (what, found, wanted) => this.expect(`${subject}: ${what}`, found, wanted);
  }

  /** One line for each finding. */
  lines(): string[] {
    const all = [...this.#byCause].map(([cause, { example, fix, count }]) => {
      const what = example === '' ? cause : `${cause}: ${example}`;
      const others = count > 1 ? ` (and ${count - 1} more)` : '';
      return `${this.#title}: ${inOneLine(what)}${others}; fix: ${fix}`;
    });
    const left = all.length - MOST;
    if (left <= 0) return all;
    const rest = `${this.#title}: ${left} more findings; fix: the ones above first`;
    return [...all.slice(0, MOST), rest];
  }
}

/** The beginning of a value. */
function shown(value: unknown): string {
  return printJson(value).slice(0, 120);
}

/** A text as a part of a line that goes on after it. */
function inOneLine(text: string): string {
  const line = text.replaceAll('\n', ' ').trim().slice(0, 400);
  return line.endsWith('.') ? line.slice(0, -1) : line;
}
