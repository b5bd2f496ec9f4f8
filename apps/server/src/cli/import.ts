import type { WriteStream } from 'node:tty';
import { Argument, type Command } from 'commander';
import { allCollections } from '../collections.ts';
import { secretsOf } from '../config/environment.ts';
import { settings } from '../config/settings.ts';
import { configFrom } from '../config.ts';
import { UsageError } from './errors.ts';
import { addSettings, settingTexts } from './flags.ts';

/** The settings that select a store. */
export const storeSettings = [
  settings.dataDir,
  settings.deployment,
  settings.databaseConnectTimeout,
  settings.databaseStatementTimeout,
];

/** The name of a collection; optional if the service has only one. */
export function collectionArgument(): Argument {
  const [only = '', ...others] = allCollections.map(({ name }) => name);
  const about = 'the collection';
  if (others.length > 0) return new Argument('<collection>', about).choices([only, ...others]);
  return new Argument('[collection]', about).choices([only]).default(only);
}

/** `import`: adds JSON Lines from stdin to a collection of the configured store. */
export function addImportCommand(root: Command, env: NodeJS.ProcessEnv): void {
  const summary = 'add the documents of an export from stdin, with their identifiers';
  const command = root.command('import').summary(summary).addArgument(collectionArgument());
  addSettings(command, storeSettings)
    .description(
      `${summary}.\n\nTo move from a data folder to PostgreSQL, stop the server and run:\n` +
        '  petstore-server export | DATABASE_URL=postgres://… petstore-server import\n\n' +
        'Run it again to resume an interrupted import. It fails if a stored document differs; it never replaces documents.',
    )
    .action(async (name: string) => {
      if (process.stdin.isTTY)
        throw new UsageError('there is no input; redirect it: petstore-server import < documents.jsonl');
      const declaration = allCollections.find((one) => one.name === name);
      if (!declaration) throw new UsageError(`there is no collection '${name}'.`);
      const config = configFrom(settingTexts(command, env), secretsOf(env));
      // Loaded on demand, to start other commands faster.
      const [{ openStore }, { importDocuments }, { documentsOf }] = await Promise.all([
        import('../store/open.ts'),
        import('./import-documents.ts'),
        import('./import-lines.ts'),
      ]);
      const store = await openStore(config);
      const progress = progressOn(process.stderr, name);
      try {
        const batches = documentsOf(process.stdin, declaration);
        const { added, known } = await importDocuments(store, declaration, batches, ({ added, known }) =>
          progress.show(added + known),
        );
        progress.end(`Added ${added} ${name}; ${known} already existed.`);
      } catch (error) {
        progress.end();
        throw error;
      } finally {
        await store.close();
      }
    });
}

/** The time between two updates. */
const UPDATE_MS = 100;

/** A counter on a terminal, and a final line anywhere. */
export function progressOn(stream: Pick<WriteStream, 'write' | 'isTTY'>, what: string) {
  let shown = 0;
  return {
    show(count: number) {
      if (!stream.isTTY || performance.now() - shown < UPDATE_MS) return;
      shown = performance.now();
      stream.write(`\r${count} ${what}`);
    },
    end(line?: string) {
      if (shown > 0) stream.write('\r\x1b[K');
      if (line !== undefined) stream.write(`${line}\n`);
    },
  };
}
