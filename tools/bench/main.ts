/**
 * `npm run bench` measures all parts, and writes docs/performance.md; `npm run bench -- http client`
 * measures only these two. With `--gate`, it only checks the promises that `npm run test:deep`
 * guards. With `--quick`, it proves in seconds that everything can be measured. Both write nothing.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, textOf } from '../repository.ts';
import { client } from './client.ts';
import { gate } from './gate.ts';
import { http } from './http.ts';
import { type Effort, full, quick, type Section, type Table } from './measure.ts';
import { petctl } from './petctl.ts';
import { start } from './start.ts';
import { store } from './store.ts';

const page = 'docs/performance.md';

/** The load of the machine before the bench began. */
const [load = 0] = loadavg();

const parts: Readonly<Record<string, (effort: Effort) => Promise<Section>>> = {
  http,
  start,
  store,
  client,
  petctl,
};

try {
  await main();
} catch (error) {
  console.error(`FAILED: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { gate: { type: 'boolean' }, quick: { type: 'boolean' } },
  });
  const effort = values.quick ? quick : full;
  if (values.gate) return gate(effort);
  const names = positionals.length > 0 ? positionals : Object.keys(parts);
  for (const name of names) await run(name, effort);
}

async function run(name: string, effort: Effort): Promise<void> {
  const measure = parts[name];
  if (!measure)
    throw new Error(`There is no part ${name}. The parts are ${Object.keys(parts).join(', ')}.`);
  const markdown = markdownOf(await measure(effort), effort);
  console.log(`\n${markdown}\n`);
  if (effort === full) publish(name, markdown);
}

/** Replaces a section of the page, which stands between two comments with its name. */
function publish(name: string, markdown: string): void {
  const text = textOf(page);
  const begin = `<!-- ${name} -->\n`;
  const end = `<!-- /${name} -->`;
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end, from);
  if (!text.includes(begin) || to < 0) throw new Error(`${page} has no place for '${name}'.`);
  writeFileSync(join(root, page), `${text.slice(0, from)}${markdown}\n${text.slice(to)}`);
}

function markdownOf({ chart, table }: Section, effort: Effort): string {
  const blocks = [`_${captionOf(effort)}_`];
  if (chart !== undefined) blocks.push(`\`\`\`mermaid\n${chart}\n\`\`\``);
  blocks.push(tableOf(table));
  return blocks.join('\n\n');
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
