// Findings: what contradicts the spec, where, and how to end it.

/**
 * Reports a contradiction. Findings with the same `cause` are one finding, which shows the first example. `fix` says how to end it
 * where that is not what ends most findings of the check.
 */
export type Report = (cause: string, example?: string, fix?: string) => void;

/** No check prints more findings than this: what is behind them is usually the same. */
const MOST = 20;

/** The findings of one check. */
export class Findings {
  readonly #title: string;
  readonly #fix: string;
  readonly #byCause = new Map<string, { example: string; fix: string; count: number }>();

  constructor(title: string, fix: string) {
    this.#title = title;
    this.#fix = fix;
  }

  readonly report: Report = (cause, example = '', fix = this.#fix) => {
    const known = this.#byCause.get(cause);
    if (known) known.count++;
    else this.#byCause.set(cause, { example, fix, count: 1 });
  };

  /** One line for each finding. */
  lines(): string[] {
    const all = [...this.#byCause].map(([cause, { example, fix, count }]) => {
      const what = example === '' ? cause : `${cause}: ${example}`;
      const others = count > 1 ? ` (and ${count - 1} more)` : '';
      return `${this.#title}: ${inOneLine(what)}${others}; fix: ${fix}`;
    });
    const left = all.length - MOST;
    if (left <= 0) return all;
    return [
      ...all.slice(0, MOST),
      `${this.#title}: ${left} more findings; fix: the ones above first`,
    ];
  }
}

function inOneLine(text: string): string {
  return text.replaceAll('\n', ' ').trim().slice(0, 400);
}
