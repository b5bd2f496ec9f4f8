/**
 * All that is measured, with one command: `npm run bench` measures every part and writes docs/performance.md,
 * `npm run bench -- http client` only these. `--quick` writes nothing: alone it is the regression gate of `npm test`, with
 * names it shows that these parts work.
 */
import { parseArgs } from 'node:util';
import { writeSection } from './page.ts';
import { type Part, print } from './section.ts';

/** The parts in the order of the page. Each is loaded only to be run. */
const parts: Record<string, { isUsual: boolean; load: () => Promise<Part> }> = {
  http: { isUsual: true, load: async () => (await import('./http/main.ts')).http },
  operations: { isUsual: true, load: async () => (await import('./http/operations.ts')).operationCount },
  idempotency: { isUsual: true, load: async () => (await import('./http/idempotency.ts')).idempotency },
  // Ten minutes.
  soak: { isUsual: false, load: async () => (await import('./http/soak.ts')).soak },
  startup: { isUsual: true, load: async () => (await import('./startup.ts')).startup },
  store: { isUsual: true, load: async () => (await import('./store/main.ts')).store },
  durability: { isUsual: true, load: async () => (await import('./store/durable.ts')).durability },
  // Needs an installed PostgreSQL.
  postgres: { isUsual: false, load: async () => (await import('./postgres/main.ts')).postgres },
  client: { isUsual: true, load: async () => (await import('./client/main.ts')).client },
  petctl: { isUsual: true, load: async () => (await import('./petctl.ts')).petctl },
};

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false } },
  });
  const wrong = positionals.find((name) => !(name in parts));
  if (wrong !== undefined) throw new Error(`There is no part '${wrong}'; there are ${Object.keys(parts).join(', ')}.`);
  if (values.quick && positionals.length === 0) await guard();
  else await bench(positionals, values.quick);
} catch (error) {
  console.error(`FAILED: ${error instanceof Error ? error.message : error}`);
  if (error instanceof Error && error.cause !== undefined) console.error(error);
  process.exitCode = 1;
}

async function guard(): Promise<void> {
  const { smoke } = await import('./http/smoke.ts');
  if (!(await smoke())) process.exitCode = 1;
}

async function bench(names: readonly string[], quick: boolean): Promise<void> {
  for (const [name, { isUsual, load }] of Object.entries(parts)) {
    if (names.length > 0 ? !names.includes(name) : !isUsual) continue;
    const part = await load();
    const section = await part(quick);
    print(section);
    // At once, so that what was measured is kept whatever becomes of the next part.
    if (!quick) writeSection(name, section, Object.keys(parts));
  }
}
