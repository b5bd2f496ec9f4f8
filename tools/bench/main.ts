/**
 * `npm run bench` measures every part and writes docs/performance.md; `npm run bench -- http client` measures only these.
 * `--quick` writes nothing: without names it is the regression gate of `npm run test:deep`, with names it shows that these parts work.
 */
import { parseArgs } from 'node:util';
import { writeSection } from './page.ts';
import { type Part, print } from './section.ts';

/** The parts in the order of the page. */
const parts: Record<string, { byDefault: boolean; load: () => Promise<Part> }> = {
  http: { byDefault: true, load: async () => (await import('./http/main.ts')).http },
  operations: { byDefault: true, load: async () => (await import('./http/operations.ts')).operationCount },
  idempotency: { byDefault: true, load: async () => (await import('./http/idempotency.ts')).idempotency },
  // Ten minutes.
  soak: { byDefault: false, load: async () => (await import('./http/soak.ts')).soak },
  startup: { byDefault: true, load: async () => (await import('./startup.ts')).startup },
  store: { byDefault: true, load: async () => (await import('./store/main.ts')).store },
  durability: { byDefault: true, load: async () => (await import('./store/durable.ts')).durability },
  // Needs an installed PostgreSQL.
  postgres: { byDefault: false, load: async () => (await import('./postgres/main.ts')).postgres },
  client: { byDefault: true, load: async () => (await import('./client/main.ts')).client },
  petctl: { byDefault: true, load: async () => (await import('./petctl.ts')).petctl },
  packages: { byDefault: true, load: async () => (await import('./packages.ts')).packages },
};

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false } },
  });
  const wrong = positionals.find((name) => !(name in parts));
  if (wrong !== undefined) throw new Error(`Unknown part '${wrong}'. Available: ${Object.keys(parts).join(', ')}.`);
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
  for (const [name, { byDefault, load }] of Object.entries(parts)) {
    if (names.length > 0 ? !names.includes(name) : !byDefault) continue;
    const part = await load();
    const section = await part(quick);
    print(section);
    // Written at once, so that a failure of the next part loses nothing.
    if (!quick) writeSection(name, section, Object.keys(parts));
  }
}
