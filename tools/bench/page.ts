// Writes what the bench has measured, as Markdown, to the page that publishes it.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { root, textOf } from '../repository.ts';
import type { Effort, Part, Table, Target } from './measure.ts';

const page = 'docs/performance.md';

/** The load of the machine before the bench began. */
const [load = 0] = loadavg();

/** Replaces a section of the page, which stands between two comments with its name. */
export function publish(name: string, markdown: string): void {
  const text = textOf(page);
  const begin = `<!-- ${name} -->\n`;
  const end = `<!-- /${name} -->`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from);
  if (!text.includes(begin) || to < 0) throw new Error(`${page} has no place for '${name}'.`);
  writeFileSync(join(root, page), `${text.slice(0, from)}${markdown}\n${text.slice(to)}`);
}

/** A part as Markdown. A bound that this run missed is no promise, so it is left out. */
export function markdownOf({ chart, tables, targets }: Part, effort: Effort): string {
  const parts = [`_${captionOf(effort)}_`];
  if (chart !== undefined) parts.push(`\`\`\`mermaid\n${chart}\n\`\`\``);
  const promises = targets
    .filter(isMet)
    .map((target) => ({ promise: target.name, bound: boundOf(target), measured: target.measured }));
  for (const table of [...tables, promises]) if (table.length > 0) parts.push(tableOf(table));
  return parts.join('\n\n');
}

/** Says which bounds were missed, to the one who runs the bench. */
export function printMissed(targets: readonly Target[]): void {
  for (const target of targets) {
    if (isMet(target)) continue;
    console.log(`MISSED: ${target.name}: ${shown(target.measured)}, wanted ${boundOf(target)}`);
  }
}

function isMet({ measured, atLeast = -Infinity, atMost = Infinity }: Target): boolean {
  return atLeast <= measured && measured <= atMost;
}

function boundOf({ atLeast, atMost }: Target): string {
  return atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
}

/** How and where the figures were measured. */
function captionOf(effort: Effort): string {
  const date = new Date().toISOString().slice(0, 10);
  const model = cpus()[0]?.model.trim() ?? '';
  const system = `${type()} ${release().split('-')[0]}`;
  const node = `Node ${process.versions.node}`;
  const machine = `${model}, ${availableParallelism()} cores, ${node}, ${system}`;
  const requests = effort.requests.toLocaleString('en-US');
  const rounds = `Medians of ${effort.rounds} rounds of up to ${requests} requests or calls`;
  return `${rounds}. ${date}, ${machine}, load ${load.toFixed(1)}.`;
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
