// `npm run generate` also writes the parts of pages that state what the code says. The drift check
// compares them.
import { writeFileSync } from 'node:fs';
import { maxHeaderSize } from 'node:http';
import { join } from 'node:path';
import { MAX_RECEIVING } from '../apps/server/src/body.ts';
import { secrets } from '../apps/server/src/config.ts';
import { MAX_WAITING } from '../apps/server/src/connection.ts';
import { MAX_DEPTH } from '../apps/server/src/json-schema.ts';
import {
  KEEP_ALIVE_MS,
  MAX_CONNECTIONS,
  MAX_HEAD_MS,
  MAX_STANDSTILL_MS,
} from '../apps/server/src/listen.ts';
import { MAX_UNWRITTEN } from '../apps/server/src/log.ts';
import { MAX_AGE_MS } from '../apps/server/src/metrics.ts';
import { createProgram } from '../apps/server/src/program.ts';
import { MAX_REMEMBERED_BODY, MAX_UNREAD } from '../apps/server/src/send.ts';
import { WAITING } from '../apps/server/src/store/batch.ts';
import { KEYS, MAX_PAGE_SIZE } from '../apps/server/src/store/store.ts';
import { MAX_REMEMBERED, MAX_REMEMBERED_LENGTH } from '../apps/server/src/target.ts';
import { errorClasses } from './client-errors.ts';
import { type Help, petctlHelp } from './help.ts';
import { root, textOf } from './repository.ts';

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

/** The settings of the server, for docs/operating.md. */
function settingsTable(): string {
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

/** What bounds what callers can make grow, for docs/security.md. */
function boundsTable(): string {
  const fixed = fixedBounds.map(([bound, value, beyond]) => [bound, value, '', beyond]);
  return tableOf(['bound', 'value', 'setting', 'beyond it'], [...settingBounds(), ...fixed]);
}

/** The bounds that are settings, with their defaults. */
function settingBounds(): string[][] {
  const options = new Map(createProgram().options.map((option) => [option.long, option]));
  const rowOf = (bound: string, flag: string, unit: string, beyond: string) => {
    const value = String(options.get(flag)?.defaultValueDescription);
    return [bound, `${value} ${unit}`.trim(), `\`${flag}\``, beyond];
  };
  return [
    rowOf('one body', '--body-limit', 'bytes', '413, as soon as the length is known'),
    rowOf('time for a whole request', '--request-timeout', 's', '408'),
    rowOf('requests during a stop', '--shutdown-timeout', 's', 'aborted'),
    rowOf('requests per minute of an API key', '--rate-limit', '', '429'),
  ];
}

/** The bounds that are constants. */
const fixedBounds: readonly (readonly [bound: string, value: string, beyond: string])[] = [
  ['a JSON body', `${MAX_DEPTH} levels`, '400'],
  ['all bodies that are being received', mebibytes(MAX_RECEIVING), '503'],
  ['a page', `about ${mebibytes(MAX_PAGE_SIZE)}`, 'it ends early and links to the rest'],
  ['an unread response', `${seconds(MAX_STANDSTILL_MS)} without progress`, 'connection closed'],
  ['all unread responses', mebibytes(MAX_UNREAD), '503, before anything is done'],
  ['requests of a connection', `1 in progress, ${MAX_WAITING} waiting`, 'reading stops'],
  ['head of a request', `${maxHeaderSize / 1024} KiB, ${seconds(MAX_HEAD_MS)}`, '431, 408'],
  ['connections', `${count(MAX_CONNECTIONS)}, ${seconds(KEEP_ALIVE_MS)} idle`, 'closed'],
  ['waiting writes', `${count(WAITING.items)}, ${mebibytes(WAITING.size)}`, '503'],
  ['the embedded store', "a third of Node's heap", 'creates get 503'],
  ['computing `/metrics`', `once in ${seconds(MAX_AGE_MS)}`, 'cached text'],
  [
    'remembered targets',
    `${count(MAX_REMEMBERED)}, ${MAX_REMEMBERED_LENGTH} characters`,
    'forgotten',
  ],
  ['the body remembered for a target', `${count(MAX_REMEMBERED_BODY)} characters`, 'forgotten'],
  ['waiting log lines', mebibytes(MAX_UNWRITTEN), 'later lines are dropped and counted'],
  [
    'idempotency keys',
    `${count(KEYS.count)}, ${mebibytes(KEYS.size)} of results, ${KEYS.milliseconds / 3_600_000} hours`,
    'the oldest are forgotten and counted',
  ],
];

function count(number: number): string {
  return number.toLocaleString('en-US');
}

function mebibytes(bytes: number): string {
  return `${bytes / 2 ** 20} MiB`;
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

/** The errors of the client, for its README. */
function errorTable(): string {
  const rows = errorClasses.map(({ name, base, statuses, when }) => {
    const [status] = statuses;
    const word = status === '4xx' ? 'another 4xx' : status;
    const response = word === undefined ? '' : `The service responded with ${word}`;
    return [`\`${name}\``, `\`${base}\``, `${response}${when}.`];
  });
  return tableOf(['class', 'extends', 'when'], rows);
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

if (import.meta.main)
  for (const region of regionsOf(await petctlHelp())) {
    const text = pageWith(region);
    if (text === textOf(region.page)) continue;
    writeFileSync(join(root, region.page), text);
    console.log(`wrote ${region.page}`);
  }
