// The result of a part of the bench: printed, and written to docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { root } from '../repository.ts';
import { rounded } from './measure.ts';

export interface Section {
  title: string;
  /** The method, in a few sentences. */
  how: string;
  tables: Table[];
  targets?: Target[];
}

export interface Table {
  caption?: string;
  rows: Record<string, string | number>[];
}

/** A bound and the measured value, as a row of a table. */
export type Target = Record<'target' | 'bound' | 'measured', string | number>;

/** A target for a table. A missed bound is only shown there: nothing fails. */
export function atLeast(what: string, measured: number, bound: number): Target {
  return targetOf(what, `≥ ${bound}`, measured, measured >= bound);
}

export function atMost(what: string, measured: number, bound: number): Target {
  return targetOf(what, `≤ ${bound}`, measured, measured <= bound);
}

function targetOf(target: string, bound: string, value: number, isMet: boolean): Target {
  const measured = rounded(value);
  return { target, bound, measured: isMet ? measured : `${measured.toLocaleString('en-US')}, missed` };
}

const page = join(root, 'docs/performance.md');

/** Replaces the section of a part on the page. */
export function writeSection(name: string, markdown: string): void {
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), name, markdown));
}

/** The text with a replaced section. A text without the section does not change: that part is described by hand. */
export function withSection(text: string, name: string, markdown: string): string {
  const section = new RegExp(`(<!-- ${name} -->\n).*?(\n<!-- /${name} -->)`, 's');
  return text.replace(section, (_, begin, end) => `${begin}${markdown}${end}`);
}

/** A section as Markdown. */
export function markdownOf({ title, how, tables, targets = [] }: Section): string {
  return [
    `## ${title}`,
    how,
    ...tables.flatMap(({ caption, rows }) => [...(caption ? [`**${caption}**`] : []), tableOf(rows)]),
    ...(targets.length > 0 ? [tableOf(targets)] : []),
    `_${machine()}_`,
  ].join('\n\n');
}

function tableOf(rows: Table['rows']): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly (string | number | undefined)[]) => `| ${cells.map(cell).join(' | ')} |`;
  const aligned = columns.map((column) => (typeof rows[0]?.[column] === 'number' ? '---:' : '---'));
  const lines = rows.map((row) => line(columns.map((name) => row[name])));
  return [line(columns), `|${aligned.join('|')}|`, ...lines].join('\n');
}

function cell(value: string | number | undefined): string {
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 3 }) : (value ?? '');
}

/** The load average before the bench began. */
const [busy = 0] = loadavg();

/** The machine, in words. */
function machine(): string {
  const day = new Date().toISOString().slice(0, 10);
  const model = cpus()[0]?.model.trim() ?? arch();
  const [system] = release().split('-');
  const parts = `${model}, ${availableParallelism()} cores, Node ${process.versions.node}, ${type()} ${system}`;
  return `${day}, ${parts}, load ${busy.toFixed(1)}`;
}
