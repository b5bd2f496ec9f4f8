/**
 * `npm run bench` measures the parts and writes docs/performance.md; `npm run bench -- http client` measures only these two.
 * `--gate` is the regression gate of `npm run test:deep`, which writes nothing.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { root, textOf } from '../repository.ts';
import { client, petctl } from './clients.ts';
import { gate, http, start } from './http.ts';
import { cores, type Section, type Table } from './measure.ts';
import { store } from './store.ts';

const parts: Readonly<Record<string, () => Promise<Section>>> = {
  http,
  start,
  store,
  client,
  petctl,
};
const page = 'docs/performance.md';
/** Before the bench began. */
const [load = 0] = loadavg();

const names = process.argv.slice(2);
const unknown = names.find((name) => name !== '--gate' && !(name in parts));
try {
  if (unknown)
    throw new Error(`There is no part ${unknown}. The parts are ${Object.keys(parts).join(', ')}.`);
  if (names.includes('--gate')) await gate();
  else
    for (const [name, measure] of Object.entries(parts))
      if (names.length === 0 || names.includes(name)) write(name, markdownOf(await measure()));
} catch (error) {
  console.error(`FAILED: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/** Prints a section, and replaces it on the page. */
function write(name: string, section: string): void {
  console.log(`\n${section}`);
  const old = new RegExp(`(?<=<!-- ${name} -->\n).*?(?=\n<!-- /${name} -->)`, 's');
  const text = textOf(page).replace(old, () => section);
  writeFileSync(join(root, page), text);
}

function markdownOf({ title, how, tables, targets }: Section): string {
  const rows = targets.map(([target, measured, sign, bound]) => {
    const isMet = sign === '≥' ? measured >= bound : measured <= bound;
    return {
      target,
      bound: `${sign} ${bound}`,
      measured: `${shown(measured)}${isMet ? '' : ', missed'}`,
    };
  });
  const date = new Date().toISOString().slice(0, 10);
  const [{ model = '' } = {}] = cpus();
  const system = `${type()} ${release().split('-')[0]}`;
  const machine = `${model.trim()}, ${cores} cores, Node ${process.versions.node}, ${system}`;
  const written = [...tables, rows].map(tableOf);
  return [`## ${title}`, how, ...written, `_${date}, ${machine}, load ${load.toFixed(1)}_`].join(
    '\n\n',
  );
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
