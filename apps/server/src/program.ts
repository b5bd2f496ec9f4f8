import { existsSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type Operation, operations, service, version } from '@petstore/types';
import { Command } from 'commander';
import { addSettings, type Config, configOf } from './config.ts';
import { lineOf, UsageError } from './errors.ts';
import { createKey, readKeys, revokeKey } from './keys.ts';
import type { Running } from './serve.ts';

/** Runs the command line. */
export async function main(): Promise<void> {
  const program = addSettings(new Command('petstore-server'))
    .description(`The ${service.title} server. Without a command, it serves.`)
    .version(version)
    // The settings may also follow a command.
    .configureHelp({ showGlobalOptions: true })
    .action(() => start(configOf(program)));
  program
    .command('export')
    .description('print all documents as JSON lines, also while the server runs')
    .action(() => exportDocuments(configOf(program)));
  program
    .command('import')
    .description('add the documents of an export on stdin to an empty store')
    .action(() => importDocuments(configOf(program)));
  const keys = program.command('keys').description('API keys; a server follows changes within a second');
  keys
    .command('create')
    .description('create a key, and print it')
    .option('--name <name>', 'name of the key')
    .action((options: { name?: string }) => {
      const { name, key } = createKey(configOf(program).dataDir, options.name);
      process.stderr.write(`The key '${name}' is shown only this once:\n`);
      process.stdout.write(`${key}\n`);
    });
  keys
    .command('list')
    .description('list the names of the keys')
    .action(() => {
      const all = readKeys(configOf(program).dataDir) ?? [];
      process.stdout.write(all.map(({ name, created }) => `${name}\t${created}\n`).join(''));
    });
  keys
    .command('revoke <name>')
    .description('revoke a key')
    .action((name: string) => {
      process.stderr.write(`Revoked. Keys left: ${revokeKey(configOf(program).dataDir, name)}.\n`);
    });
  try {
    await program.parseAsync();
  } catch (error) {
    program.error(`petstore-server: ${lineOf(listenError(error, program.opts<Config>()))}`);
  }
}

async function start(config: Config): Promise<void> {
  let running: Running | undefined;
  let isStopping = false;
  const stop = async () => {
    // A second signal ends at once.
    if (isStopping) process.exit(1);
    isStopping = true;
    await running?.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  const { serve } = await import('./serve.ts');
  running = await serve(config);
  process.stderr.write(greeting(running, config));
}

async function exportDocuments(config: Config): Promise<void> {
  const { exportLines } = await import('./transfer.ts');
  const { openStore } = await import('./serve.ts');
  const { declarations } = await import('./index.ts');
  const { readLowdbFolder } = await import('./store/lowdb.ts');
  const store = config.databaseUrl === undefined ? undefined : await openStore(config);
  try {
    // A folder is read without its lock, because a server may use it.
    const source = store ?? (await readLowdbFolder(config.dataDir, declarations));
    await pipeline(exportLines(source, declarations), process.stdout);
  } finally {
    await store?.close();
  }
}

async function importDocuments(config: Config): Promise<void> {
  const { importLines } = await import('./transfer.ts');
  const { openStore } = await import('./serve.ts');
  const { declarations } = await import('./index.ts');
  const store = await openStore(config);
  try {
    const count = await importLines(store, declarations, process.stdin);
    process.stderr.write(`Imported ${count} documents.\n`);
  } finally {
    await store.close();
  }
}

/** What to do first. The commands run as they are in this folder. */
function greeting({ origin, adminOrigin, madeKey }: Running, { apiKeys }: Config): string {
  const base = origin + service.basePath;
  const key = madeKey ?? '<your API key>';
  const made = madeKey && `\n  API key, made just now and shown only this once:  ${madeKey}`;
  const another = apiKeys === undefined && `  For another API key   ${pathOf('petstore-server')} keys create`;
  const list = Object.values<Operation>(operations).find(({ pagination }) => pagination);
  const lines = [
    '',
    `  ${service.title} listens on  ${base}`,
    `  Its docs are at       ${origin}/docs`,
    adminOrigin && `  For operators         ${adminOrigin}/metrics, /healthz, /readyz`,
    made ?? another,
    '\n  Try it from another terminal, in this folder:\n',
    list && `    PETCTL_API_KEY='${key}' ${pathOf('petctl')} --base-url ${base} ${list.command.join(' ')}`,
    list && `    curl -H 'Authorization: Bearer ${key}' ${base}${list.path}`,
    '',
  ];
  return `${lines.filter((line) => typeof line === 'string').join('\n')}\n`;
}

/** How to run a program: by its path where it is installed in this folder, else by its name. */
function pathOf(name: string): string {
  const path = `node_modules/.bin/${name}`;
  return existsSync(path) ? path : name;
}

/** Says what to do if the server cannot listen. Returns any other error unchanged. */
function listenError(error: unknown, { adminPort }: Config): unknown {
  const { syscall, code, address, port, hostname } = error as Record<string, unknown>;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error;
  const setting = port === adminPort ? 'PETSTORE_ADMIN_PORT' : 'PORT';
  if (code === 'EADDRINUSE')
    return new UsageError(
      `port ${port} on ${address} is in use; choose another one with ${setting}=${Number(port) + 1}.`,
    );
  if (code === 'EACCES') return new UsageError(`port ${port} is reserved; choose 1024 or higher with ${setting}.`);
  return new UsageError(`${address ?? hostname} is no address of this machine; choose another one with HOST.`);
}
