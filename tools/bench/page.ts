// Writes what the bench has measured, as Markdown, to the page that publishes it.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { root, textOf } from '../repository.ts';
import { isMet, type Section, type Table, type Target } from './measure.ts';

const page = 'docs/performance.md';

/** The load of the machine before the bench began. */
const [load = 0] = loadavg();

/** Replaces a section of the page, which stands between two comments with its name. */
export function publish(name: string, markdown: string): void {
  const text = textOf(page);
  const begin = `<!-- ${name} -->\n`;
  const end = `\n<!-- /${name} -->`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from);
  if (!text.includes(begin) || to < 0) throw new Error(`${page} has no place for '${name}'.`);
  writeFileSync(join(root, page), text.slice(0, from) + markdown + text.slice(to));
}

/** A section as Markdown. A bound that this run missed is no promise, so it is left out. */
export function markdownOf({ title, comparisons, chart, tables, targets }: Section): string {
  const parts = [`## ${title}`, comparisons.map((sentence) => `- ${sentence}`).join('\n')];
  if (chart !== undefined) parts.push(`\`\`\`mermaid\n${chart}\n\`\`\``);
  const met = targets.filter(isMet).map(rowOf);
  for (const table of [...tables, met]) if (table.length > 0) parts.push(tableOf(table));
  parts.push(`_${machine()}_`);
  return parts.join('\n\n');
}

/** A line for the one who runs the bench. */
export function missedLine({ name, measured, sign, bound }: Target): string {
  return `MISSED: ${name}: ${shown(measured)}, wanted ${sign} ${bound}`;
}

function rowOf({ name, measured, sign, bound }: Target): Table[number] {
  return { promise: name, bound: `${sign} ${bound}`, measured };
}

function machine(): string {
  const date = new Date().toISOString().slice(0, 10);
  const model = cpus()[0]?.model.trim() ?? '';
  const system = `${type()} ${release().split('-')[0]}`;
  const node = `Node ${process.versions.node}`;
  return `${date}, ${model}, ${availableParallelism()} cores, ${node}, ${system}, load ${load.toFixed(1)}`;
}

function tableOf(rows: Table): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly (string | number | undefined)[]) =>
    `| ${cells.map(shown).join(' | ')} |`;
  const aligned = columns.map((column) => (typeof rows[0]?.[column] === 'number' ? '---:' : '---'));
  const lines = rows.map((row) => line(columns.map((name) => row[name])));
  return [line(columns), `|${aligned.join('|')}|`, ...lines].join('\n');
}

function shown(value: string | number | undefined): string {
  if (typeof value !== 'number') return value ?? '';
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
}
