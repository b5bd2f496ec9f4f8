// `npm run generate` also writes the parts of pages that state what the code says. The drift check compares them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Help, petctlHelp } from './help.ts';
import { root, textOf } from './repository.ts';
import { boundsTable, errorTable, settingsTable } from './tables.ts';

/** A part of a page, between `<!-- generated: marker -->` and `<!-- end -->`. */
export interface Region {
  readonly page: string;
  readonly marker: string;
  readonly text: string;
}

export function regionsOf(petctl: Help): Region[] {
  return [
    { page: 'docs/petctl.md', marker: 'reference', text: referenceOf(petctl) },
    { page: 'docs/operating.md', marker: 'settings', text: settingsTable() },
    { page: 'docs/security.md', marker: 'bounds', text: boundsTable() },
    { page: 'packages/client/README.md', marker: 'errors', text: errorTable() },
  ];
}

/** The text of the page with this text in its region. */
export function pageWith({ page, marker, text }: Region): string {
  const whole = textOf(page);
  const [before, after] = whole.split(`<!-- generated: ${marker} -->\n`);
  const end = after?.indexOf('<!-- end -->') ?? -1;
  if (before === undefined || after === undefined || end < 0)
    throw new Error(`${page} lacks <!-- generated: ${marker} --> and <!-- end --> after it`);
  return `${before}<!-- generated: ${marker} -->\n\n${text}\n${after.slice(end)}`;
}

/**
 * The help of petctl and of its groups of commands. Only that of petctl itself has the options of
 * every command. The help of the other commands has the options of one operation.
 */
function referenceOf(help: Help): string {
  const groups = [...help].filter(([, text]) => text.includes('\nCommands:\n'));
  const parts = groups.map(([words, text]) => {
    const shown = words === '' ? text : withoutCommonOptions(text);
    return `### ${`petctl ${words}`.trim()}\n\n\`\`\`text\n${shown.trimEnd()}\n\`\`\`\n`;
  });
  return parts.join('\n');
}

function withoutCommonOptions(text: string): string {
  const sections = text.split('\n\n');
  return sections
    .filter((section) => !section.startsWith('Options of every command:'))
    .join('\n\n');
}

if (import.meta.main)
  for (const region of regionsOf(await petctlHelp()))
    writeFileSync(join(root, region.page), pageWith(region));
