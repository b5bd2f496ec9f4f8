import { parseArgs } from 'node:util';

/** The result of a part of the bench, for the terminal and the page. */
export interface Section {
  title: string;
  /** The method, in a few sentences. */
  how: string;
  tables: Table[];
  targets?: Target[];
  /** Another page of the repository that shows the tables, between comments with the name of the part. */
  shownIn?: string;
}

export interface Table {
  caption?: string;
  rows: Record<string, string | number>[];
}

/** A bound and the measured value. */
export interface Target {
  what: string;
  measured: number;
  kind: 'at least' | 'at most';
  bound: number;
}

/** A part of the bench; `quick` only shows that it works. */
export type Part = (quick: boolean) => Promise<Section>;

export function isMet({ measured, kind, bound }: Target): boolean {
  return kind === 'at least' ? measured >= bound : measured <= bound;
}

/** The targets as rows of a table. */
export function targetRows(targets: readonly Target[]): Table['rows'] {
  return targets.map((target) => ({
    target: target.what,
    bound: `${target.kind} ${target.bound}`,
    measured: Number(target.measured.toFixed(2)),
    met: isMet(target) ? 'yes' : 'NO',
  }));
}

/** Prints a section. */
export function print({ title, how, tables, targets = [] }: Section): void {
  console.log(`\n${title}\n${how}`);
  for (const { caption, rows } of tables) {
    if (caption) console.log(`\n${caption}`);
    console.table(rows);
  }
  if (targets.length > 0) console.table(targetRows(targets));
}

/** Runs and prints a part if its file is the program. */
export async function alone(meta: ImportMeta, part: Part): Promise<void> {
  if (!meta.main) return;
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  print(await part(values.quick));
}
