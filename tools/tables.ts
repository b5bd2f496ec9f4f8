// Tables of the pages that are made of what the code says.
import { secrets } from '../apps/server/src/config.ts';
import { createProgram } from '../apps/server/src/program.ts';
import { errorClasses } from './client-errors.ts';

/** The settings of the server, for docs/operating.md. */
export function settingsTable(): string {
  const rows = createProgram()
    .options.filter(({ envVar }) => envVar !== undefined)
    .map(({ envVar, long, defaultValueDescription, description }) => [
      `\`${envVar}\``,
      `\`${long}\``,
      `\`${defaultValueDescription}\``,
      description,
    ]);
  return tableOf(['variable', 'flag', 'default', 'meaning'], [...rows, ...secretRows]);
}

/** The settings without a flag, because process lists show flags. */
const secretRows = [
  [
    `\`${secrets.apiKeys}\``,
    'none',
    'the keys in the data folder',
    'API keys: a key, or `name=key` pairs separated by commas',
  ],
  [
    `\`${secrets.databaseUrl}\``,
    'none',
    'the data folder',
    'address of a [PostgreSQL](#many-servers-on-postgresql) database for the pets',
  ],
];

/** The errors of the client, for its README. */
export function errorTable(): string {
  const rows = errorClasses.map(({ name, statuses, when }) => [
    `\`${name}\``,
    statuses.join(', '),
    when,
  ]);
  return tableOf(['error', 'status', 'when'], rows);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
