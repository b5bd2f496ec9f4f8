/**
 * `npm run bench` measures all parts, and writes docs/performance.md; `npm run bench -- http client`
 * measures only these two. With `--gate`, it only checks the promise that `npm run test:deep`
 * guards. With `--quick`, it proves in seconds that everything can be measured. Both write nothing.
 */
import { parseArgs } from 'node:util';
import { client } from './client.ts';
import { gate } from './gate.ts';
import { http } from './http.ts';
import { type Effort, full, type Part, quick } from './measure.ts';
import { markdownOf, printMissed, publish } from './page.ts';
import { petctl } from './petctl.ts';
import { start } from './start.ts';
import { store } from './store.ts';

const parts: Readonly<Record<string, (effort: Effort) => Promise<Part>>> = {
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
  const part = await measure(effort);
  const markdown = markdownOf(part, effort);
  console.log(`\n${markdown}\n`);
  if (effort === quick) return;
  publish(name, markdown);
  printMissed(part.targets);
}
