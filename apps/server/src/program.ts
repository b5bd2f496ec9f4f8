import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Operation, operations, service, version } from '@petstore/types';
import { Command } from 'commander';
import { addSettings, type Config, configOf, secrets } from './config.ts';
import { lineOf, UsageError } from './errors.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import type { Running } from './serve.ts';

/** Only the commands that need the server load it, because that takes long. */
const serving = () => import('./serve.ts');

/** Runs the command line. */
export async function main(): Promise<void> {
  const program = createProgram();
  try {
    await program.parseAsync();
  } catch (error) {
    program.error(`petstore-server: ${lineOf(listenError(error))}`);
  }
}

/** The command line with its commands and settings. */
export function createProgram(): Command {
  const program = addSettings(new Command('petstore-server'))
    .description(`The ${service.title} server. Without a command, it serves.`)
    .version(version)
    // The settings may also follow a command.
    .configureHelp({ showGlobalOptions: true })
    .action(() => start(configOf(program)));
  addTransfers(program);
  addKeys(program);
  return program;
}

function addTransfers(program: Command): void {
  program
    .command('export')
    .description('print all data but the keys as JSON Lines, also while the server runs')
    .action(async () => {
      const { exportDocuments } = await serving();
      await exportDocuments(configOf(program));
    });
  program
    .command('import')
    .description('add the data of an export on stdin to an empty store')
    .option('--unchecked', 'also add data that does not match the spec')
    .action(async ({ unchecked = false }: { unchecked?: boolean }) => {
      const { importDocuments } = await serving();
      const { added, present } = await importDocuments(configOf(program), unchecked);
      process.stderr.write(`Imported ${added} documents; ${present} were there already.\n`);
    });
}

function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('API keys; a server follows changes within a second');
  keys
    .command('create')
    .description('create a key, and print it')
    .option('--name <name>', 'name of the key')
    .action(async (options: { name?: string }) => {
      const folder = keyFolder(program);
      const { name, key } = await createKey(folder, options.name);
      process.stderr.write(
        `The key '${name}' for servers on ${resolve(folder)} is shown only this once:\n`,
      );
      process.stdout.write(`${key}\n`);
    });
  keys
    .command('list')
    .description('list the names of the keys')
    .action(() => {
      for (const { name, created } of listKeys(keyFolder(program)))
        process.stdout.write(`${name}\t${created}\n`);
    });
  keys
    .command('revoke <name>')
    .description('revoke a key')
    .action(async (name: string) => {
      const left = await revokeKey(keyFolder(program), name);
      process.stderr.write(`Revoked. Keys left: ${left}.\n`);
    });
}

/** The folder of the keys. Servers with configured keys ignore it. */
function keyFolder(program: Command): string {
  const { dataDir, apiKeys } = configOf(program);
  if (apiKeys === undefined) return dataDir;
  throw new UsageError(`Servers take the keys of ${secrets.apiKeys}; change them there.`);
}

/** Signals that follow each other so soon are one: npm passes on what its process group gets, too. */
const SAME_SIGNAL_MS = 1000;

async function start(config: Config): Promise<void> {
  let running: Running | undefined;
  let stoppingSince: number | undefined;
  const stop = async () => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    await running?.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  running = await (await serving()).serve(config);
  process.stderr.write(greeting(running));
}

function greeting({ origin, adminOrigin, madeKey }: Running): string {
  const base = origin + service.basePath;
  const admin = adminOrigin
    ? `  For operators         ${adminOrigin}/metrics, /healthz, /readyz\n`
    : '';
  const key = madeKey ? `\n  API key, made just now and shown only this once:  ${madeKey}\n` : '';
  // In a checkout, petctl is not in the PATH.
  const petctl = existsSync('node_modules/.bin/petctl') ? 'node_modules/.bin/petctl' : 'petctl';
  const list = Object.values<Operation>(operations).find(({ pagination }) => pagination);
  const tries = list && [
    '\n  Try it from another terminal, in this folder:\n',
    `    PETCTL_API_KEY='${madeKey ?? '<your API key>'}' ${petctl} --base-url ${base} ${list.command.join(' ')}`,
    `    curl -H 'Authorization: Bearer ${madeKey ?? '<your API key>'}' ${base}${list.path}\n`,
  ];
  const head = `\n  ${service.title} listens on  ${base}\n  Its docs are at       ${origin}/docs\n`;
  return `${head}${admin}${key}${tries?.join('\n') ?? ''}\n`;
}

/** Says what to do if the server cannot listen. Returns any other error unchanged. */
function listenError(error: unknown): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error;
  return new UsageError(`${message}; choose another PORT, HOST or PETSTORE_ADMIN_PORT.`);
}
