import { Argument, type Command } from 'commander';
import { allCollections } from '../collections.ts';
import { secretsOf } from '../config/environment.ts';
import { settings } from '../config/settings.ts';
import { configFrom } from '../config.ts';
import { UsageError } from './errors.ts';
import { addSettings, givenTo } from './given.ts';

/** What is needed to reach a store. */
export const storeSettings = [
  settings.dataDir,
  settings.deployment,
  settings.databaseConnectTimeout,
  settings.databaseStatementTimeout,
];

/** The name of a collection, which may be left out where the service has only one. */
export function collectionArgument(): Argument {
  const [only = '', ...others] = allCollections.map(({ name }) => name);
  const about = 'which documents';
  if (others.length > 0) return new Argument('<collection>', about).choices([only, ...others]);
  return new Argument('[collection]', about).choices([only]).default(only);
}

/** `import`: JSON Lines from stdin go into a collection of the store that the settings name. */
export function addImportCommand(root: Command, env: NodeJS.ProcessEnv): void {
  const summary = 'add the documents of an export, read from stdin, under the identifiers they have';
  const command = root.command('import').summary(summary).addArgument(collectionArgument());
  addSettings(command, storeSettings)
    .description(
      `${summary}.\n\nTo move from a data folder to PostgreSQL, while no server runs:\n` +
        '  petstore-server export | DATABASE_URL=postgres://… petstore-server import\n\n' +
        'Repeating it adds what is missing. Documents that are there are compared, never replaced.',
    )
    .action(async (name: string) => {
      if (process.stdin.isTTY)
        throw new UsageError('the documents come from stdin: petstore-server import < documents.jsonl');
      const declaration = allCollections.find((one) => one.name === name);
      if (!declaration) throw new UsageError(`there is no collection '${name}'.`);
      const config = configFrom(givenTo(command, env), secretsOf(env));
      // Loaded only to be run: the other commands answer at once.
      const [{ openStore }, { importDocuments }, { documentsOf }, { progressOn }] = await Promise.all([
        import('../store/open.ts'),
        import('./import-documents.ts'),
        import('./import-lines.ts'),
        import('./import-progress.ts'),
      ]);
      const store = await openStore(config);
      const progress = progressOn(process.stderr, name);
      try {
        const batches = documentsOf(process.stdin, declaration);
        const { added, known } = await importDocuments(store, declaration, batches, ({ added, known }) =>
          progress.show(added + known),
        );
        progress.end(`Added ${added} ${name}; ${known} were there already.`);
      } catch (error) {
        progress.end();
        throw error;
      } finally {
        await store.close();
      }
    });
}
