/**
 * `npm run bench` measures the parts and writes docs/performance.md; `npm run bench -- http client` measures only these two.
 * `--quick` writes nothing: without names it is the regression gate of `npm run test:deep`, with names it shows that these parts work.
 */
import { parseArgs } from 'node:util';
import { markdownOf, type Section, writeSection } from './section.ts';

/** A part of the bench; `quick` only shows that it works. */
type Part = (quick: boolean) => Promise<Section>;

/** The parts in the order in which they are measured. */
const parts: Readonly<Record<string, () => Promise<Part>>> = {
  http: async () => (await import('./http/main.ts')).http,
  start: async () => (await import('./http/start.ts')).start,
  store: async () => (await import('./store.ts')).store,
  client: async () => (await import('./client.ts')).client,
  petctl: async () => (await import('./petctl.ts')).petctl,
};

try {
  const quick = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick } });
  const unknown = positionals.find((name) => !(name in parts));
  if (unknown !== undefined) throw new Error(`Unknown part '${unknown}'. Available: ${Object.keys(parts).join(', ')}.`);
  if (values.quick && positionals.length === 0) await (await import('./http/gate.ts')).gate();
  else await bench(positionals, values.quick);
} catch (error) {
  console.error(`FAILED: ${error instanceof Error ? error.message : error}`);
  if (error instanceof Error && error.cause !== undefined) console.error(error);
  process.exitCode = 1;
}

async function bench(names: readonly string[], quick: boolean): Promise<void> {
  for (const [name, load] of Object.entries(parts)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const part = await load();
    const section = markdownOf(await part(quick));
    console.log(`\n${section}`);
    // Written at once, so that a failure of the next part loses nothing.
    if (!quick) writeSection(name, section);
  }
}
