// The sections of docs/performance.md.
import type { Section, Table } from './measure.ts';

/** The page with another text in a section, which is between two comments with its name. */
export function withSection(page: string, name: string, markdown: string): string {
  const begin = `<!-- ${name} -->\n`;
  const end = `<!-- /${name} -->`;
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(end, from);
  if (!page.includes(begin) || to < 0) throw new Error(`The page has no section '${name}'.`);
  return `${page.slice(0, from)}${markdown}\n${page.slice(to)}`;
}

/** The chart and the table of a section. */
export function markdownOf({ chart, table }: Section): string {
  const markdown = tableOf(table);
  return chart === undefined ? markdown : `\`\`\`mermaid\n${chart}\n\`\`\`\n\n${markdown}`;
}

function tableOf(rows: Table): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly (string | number | undefined)[]) =>
    `| ${cells.map(cellText).join(' | ')} |`;
  const aligned = columns.map((column) => (typeof rows[0]?.[column] === 'number' ? '---:' : '---'));
  const lines = rows.map((row) => line(columns.map((name) => row[name])));
  return [line(columns), `|${aligned.join('|')}|`, ...lines].join('\n');
}

function cellText(value: string | number | undefined): string {
  if (typeof value !== 'number') return value ?? '';
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
}
