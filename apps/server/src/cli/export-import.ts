import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Argument, type Command } from 'commander';
import { allCollections } from '../collections.ts';
import type { Config } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { errorCode } from '../files/files.ts';
import { documentsIn } from '../store/document.ts';
import type { Collection, Store } from '../store/store.ts';
import { UsageError } from './errors.ts';
import { addCommand, configOf } from './flags-and-variables.ts';
import { writeOutput } from './output.ts';

/** The settings that select a store. */
const storeSettings = [
  settings.dataDir,
  settings.deployment,
  settings.databaseConnectTimeout,
  settings.databaseStatementTimeout,
];

/** `export`: writes every document of a collection of the configured store to stdout, as JSON Lines. */
export function addExportCommand(root: Command, env: NodeJS.ProcessEnv): void {
  const command = addCommand(
    root,
    'export',
    storeSettings,
    'write every document to stdout, one JSON object per line, in ascending order of identifiers',
    'Stop the server before you export a data folder; export a database at any time.',
  )
    .addArgument(collectionArgument())
    .action(async (name: string) => {
      const config = configOf(command, env);
      if (config.databaseUrl === undefined) await requireStore(config.dataDir);
      await withStore(config, name, async (store, onProgress) => {
        const documents = await exportDocuments(store.collection(name), onProgress);
        return `${name}: ${documents} written.`;
      });
    });
}

/** Throws unless a folder has a store. */
async function requireStore(folder: string): Promise<void> {
  // Loaded on demand, to start other commands faster.
  const { manifestFile, segmentsFolder } = await import('../store/lowdb/manifest.ts');
  if (existsSync(manifestFile(folder)) || existsSync(segmentsFolder(folder))) return;
  const reason = await access(folder, constants.R_OK | constants.X_OK).then(() => undefined, errorCode);
  if (reason !== undefined && reason !== 'ENOENT')
    throw new UsageError(
      `${folder} cannot be read (${reason}); name another folder, or run this command as the user of the server.`,
    );
  throw new UsageError(`${folder} has no documents; name another folder with --data-dir.`);
}

/** `import`: adds JSON Lines from stdin to a collection of the configured store. */
export function addImportCommand(root: Command, env: NodeJS.ProcessEnv): void {
  const command = addCommand(
    root,
    'import',
    storeSettings,
    'add the documents of an export from stdin, with their identifiers',
    'To move from a data folder to PostgreSQL, stop the server and run:\n' +
      '  petstore-server export | DATABASE_URL=postgres://… petstore-server import\n\n' +
      'Run it again to resume an interrupted import. It fails if a stored document differs; it never replaces documents.',
  )
    .addArgument(collectionArgument())
    .action(async (name: string) => {
      const { stdin } = process;
      if (stdin.isTTY) throw new UsageError('there is no input; redirect it: petstore-server import < documents.jsonl');
      // If Node cannot read stdin, for example because it is a folder, `process.stdin` is an empty, plain Readable.
      if (stdin.constructor === Readable)
        throw new UsageError('stdin is no file or pipe; redirect it: petstore-server import < documents.jsonl');
      const declaration = allCollections.find((candidate) => candidate.name === name);
      if (!declaration) throw new UsageError(`there is no collection '${name}'.`);
      const config = configOf(command, env);
      // This module needs a JSON Schema validator, so it is loaded on demand.
      const { documentsOf, importDocuments } = await import('./import-documents.ts');
      await withStore(config, name, async (store, onProgress) => {
        const batches = documentsOf(stdin, declaration);
        const { added, existing } = await importDocuments(store, declaration, batches, onProgress);
        return `${name}: ${added} added, ${existing} already stored.`;
      });
    });
}

/** The name of a collection; optional if the service has only one. */
function collectionArgument(): Argument {
  const names = allCollections.map(({ name }) => name);
  if (names.length > 1) return new Argument('<collection>', 'the collection').choices(names);
  return new Argument('[collection]', 'the collection').choices(names).default(names[0]);
}

/** The time between two updates of the progress. */
const UPDATE_MS = 100;

/** Opens the configured store, and calls `work` with it. Shows the progress on a terminal, and writes the returned line to stderr. */
async function withStore(
  config: Config,
  collection: string,
  work: (store: Store, onProgress: (documents: number) => void) => Promise<string>,
): Promise<void> {
  // Loaded on demand, to start other commands faster.
  const { openStore } = await import('../store/open.ts');
  const store = await openStore(config);
  const { stderr } = process;
  let updatedAt = 0;
  const showProgress = (documents: number) => {
    if (!stderr.isTTY || performance.now() - updatedAt < UPDATE_MS) return;
    updatedAt = performance.now();
    stderr.write(`\r${documents} ${collection}`);
  };
  let line: string | undefined;
  try {
    line = await work(store, showProgress);
  } finally {
    if (updatedAt > 0) stderr.write('\r\x1b[K');
    if (line !== undefined) stderr.write(`${line}\n`);
    await store.close();
  }
}

/** MAX_PAGE_BYTES may end a page earlier. */
const PAGE_LIMIT = 250;

/** Writes every document of a collection to stdout, one per line, with backpressure. Returns the number of documents. */
async function exportDocuments(collection: Collection, onProgress: (documents: number) => void): Promise<number> {
  let documents = 0;
  async function* lines() {
    for (let after = 0; ; ) {
      const page = await collection.list({ after, limit: PAGE_LIMIT });
      // The stored text, so that no property is lost.
      const text = documentsIn(page).map((document) => `${document.text}\n`);
      if (page.count > 0) yield Buffer.from(text.join(''), page.json.encoding);
      documents += page.count;
      onProgress(documents);
      if (!page.more) return;
      after = page.last;
    }
  }
  await writeOutput(lines());
  return documents;
}
