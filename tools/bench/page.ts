import { readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, loadavg, release, type } from 'node:os';
import { inRepository } from './process.ts';
import { type Section, type Table, targetRows } from './section.ts';

const file = inRepository('docs/performance.md');

const head = `# Performance

\`npm run bench\` writes this page; \`npm run bench -- http client\` replaces only these parts. \`npm run test:deep\` fails when the server's
share of a bare \`node:http\` server falls below the bounds in [bounds.ts](../tools/bench/http/bounds.ts). Compare only numbers of
one part: each part names its machine and date.
`;

/** Replaces a section of the page. `order` names all sections. */
export function writeSection(name: string, section: Section, order: readonly string[]): void {
  const blocks = new Map(blocksOf(textOfPage()));
  blocks.set(name, markdown(section));
  const sections = order.flatMap((name) => {
    const block = blocks.get(name);
    return block === undefined ? [] : [`<!-- ${name} -->\n${block}\n<!-- /${name} -->\n`];
  });
  writeFileSync(file, [head, ...sections].join('\n'));
  if (section.shownIn) writeBlock(inRepository(section.shownIn), name, section);
}

/** Replaces the tables of a section in a hand-written page. */
function writeBlock(page: string, name: string, { tables }: Section): void {
  const block = new RegExp(`(<!-- ${name} -->\\n).*?(\\n<!-- /${name} -->)`, 's');
  const text = tables.map(({ rows }) => tableOf(rows)).join('\n\n');
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(block, (_, before, after) => before + text + after),
  );
}

function textOfPage(): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The existing sections of the page, by name. */
function blocksOf(page: string): [string, string][] {
  return [...page.matchAll(/<!-- (\w+) -->\n(.*?)\n<!-- \/\1 -->/gs)].map(([, name = '', block = '']) => [name, block]);
}

function markdown({ title, how, tables, targets = [] }: Section): string {
  return [
    `## ${title}`,
    how,
    ...tables.flatMap(({ caption, rows }) => [...(caption ? [`**${caption}**`] : []), tableOf(rows)]),
    ...(targets.length > 0 ? [tableOf(targetRows(targets))] : []),
    `_${machine()}_`,
  ].join('\n\n');
}

function tableOf(rows: Table['rows']): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly (string | number | undefined)[]) => `| ${cells.map(cell).join(' | ')} |`;
  const aligned = columns.map((column) => (typeof rows[0]?.[column] === 'number' ? '---:' : '---'));
  return [line(columns), `|${aligned.join('|')}|`, ...rows.map((row) => line(columns.map((name) => row[name])))].join(
    '\n',
  );
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
  return [
    `Measured on ${day}: ${model}, ${availableParallelism()} cores, Node ${process.versions.node}, ${type()} ${system};`,
    `load average before the bench began: ${busy.toFixed(1)}.`,
  ].join(' ');
}
