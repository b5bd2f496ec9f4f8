import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { databaseVariable } from '../config/config.ts';
import { settings } from '../config/settings.ts';
import { reasonOf } from '../files/files.ts';
import { UsageError } from './errors.ts';
import { addCommand, dataDirOf } from './flags-and-variables.ts';
import { writeOutput } from './output.ts';

/** `check` and `backup`, for the data folder only. PostgreSQL has its own tools. */
export function addDataFolderCommands(root: Command, env: NodeJS.ProcessEnv): void {
  const add = (name: string, summary: string, details: string) =>
    addCommand(root, name, [settings.dataDir, settings.deployment], summary, details);

  const check = add(
    'check',
    'read the whole data folder, and report its content and any damage',
    'Stop the server first. Nothing is changed. The exit code is 1 if anything is damaged.',
  ).action(async () => {
    const folder = await folderOf(check);
    const { checkStore } = await import('../store/lowdb/lowdb.ts');
    const { allCollections } = await import('../collections.ts');
    const { format, collections, segments, bytes, current, tail } = await checkStore(folder, allCollections);
    await writeOutput([
      ...collections.map(
        ({ name, documents, last }) => `${name}: ${documents} documents, highest identifier ${last}\n`,
      ),
      `${segments} segments of ${bytes} bytes in all, of which ${current} bytes are current documents and idempotency keys\n`,
      tail > 0 ? `${tail} bytes of an unfinished commit, which the next write moves aside\n` : '',
      `${folder} is not damaged (format ${format}).\n`,
    ]);
  });

  const backup = add(
    'backup',
    'copy the data folder, keys included, into a new folder',
    'The server may run: the copy contains every write that the server acknowledged before the backup began.\n' +
      'To restore it, stop the server and replace the data folder with the copy.',
  )
    .argument('<folder>', 'the folder to create')
    .action(async (copy: string) => {
      const folder = await folderOf(backup);
      await (await import('../store/lowdb/backup.ts')).backup(folder, copy);
      console.error(`Copied ${folder} to ${copy}.`);
    });

  async function folderOf(command: Command): Promise<string> {
    const folder = dataDirOf(command, env);
    if (env[databaseVariable] !== undefined)
      throw new UsageError(
        `${databaseVariable} is set, so the documents are in the database; use the tools of PostgreSQL.`,
      );
    const format = await formatOf(folder);
    if (format === 'current') return folder;
    if (format === 'first')
      throw new UsageError(`${folder} has the first format; start the server with it once to convert it.`);
    throw noStoreIn(folder);
  }
}

export function noStoreIn(folder: string): UsageError {
  return new UsageError(`${folder} has no documents; name another folder with --data-dir.`);
}

/** The format of the store in a folder; undefined without a store. */
export async function formatOf(folder: string): Promise<'current' | 'first' | undefined> {
  // Loaded on demand, to start other commands faster.
  const { manifestFile, segmentsFolder } = await import('../store/lowdb/manifest.ts');
  if (existsSync(manifestFile(folder)) || existsSync(segmentsFolder(folder))) return 'current';
  const { hasFormat1 } = await import('../store/lowdb/format-1.ts');
  try {
    return (await hasFormat1(folder)) ? 'first' : undefined;
  } catch (error) {
    throw new UsageError(
      `${folder} cannot be read (${reasonOf(error)}); name another folder, or run this command as the user of the server.`,
    );
  }
}
