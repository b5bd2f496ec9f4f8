/**
 * `npm run bench` measures all parts, and writes docs/performance.md; `npm run bench -- http
 * client` measures only these two. With `--gate`, it only checks the promises that `npm run
 * test:deep` guards. With `--quick`, it proves in seconds that everything can be measured. Both
 * write nothing.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, textOf } from '../repository.ts';
import { client } from './client.ts';
import { gate } from './gate.ts';
import { http } from './http.ts';
import { type Effort, full, quick, type Section } from './measure.ts';
import { markdownOf, withSection } from './page.ts';
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
  const section = await measure(effort);
  const markdown = `${caption(effort)}\n\n${markdownOf(section)}`;
  console.log(`\n${markdown}\n`);
  if (effort !== full) return;
  writeFileSync(join(root, page), withSection(textOf(page), name, markdown));
}

/** The line above the figures of a section: the effort, the date and the machine. */
function caption(effort: Effort): string {
  const date = new Date().toISOString().slice(0, 10);
  const model = cpus()[0]?.model.trim() ?? '';
  const system = `${type()} ${release().split('-')[0]}`;
  const node = `Node ${process.versions.node}`;
  const machine = `${model}, ${availableParallelism()} cores, ${node}, ${system}`;
  const requests = effort.requests.toLocaleString('en-US');
  const rounds = `Medians of ${effort.rounds} rounds of up to ${requests} requests or calls`;
  return `_${rounds}. ${date}, ${machine}, load ${load.toFixed(1)}._`;
}
