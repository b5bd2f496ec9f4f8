import type { Command } from 'commander';
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

/** `import`: JSON Lines from stdin go into the store that the settings name. */
export function addImportCommand(root: Command, env: NodeJS.ProcessEnv): void {
  const summary = 'add the animals of an export, read from stdin, under the identifiers they have';
  const command = root.command('import').summary(summary);
  addSettings(command, storeSettings)
    .description(
      `${summary}.\n\nTo move from a data folder to PostgreSQL, while no server runs:\n` +
        '  petstore-server export | DATABASE_URL=postgres://… petstore-server import\n\n' +
        'Doing it again adds what is missing; what is there is compared, never replaced.',
    )
    .action(async () => {
      if (process.stdin.isTTY)
        throw new UsageError('the animals come from stdin: petstore-server import < animals.jsonl');
      const config = configFrom(givenTo(command, env), secretsOf(env));
      // Loaded only to be run: the other commands answer at once.
      const [{ openStore }, { importAnimals }, { animalsIn }, { progressOn }] = await Promise.all([
        import('../store/open.ts'),
        import('./import-animals.ts'),
        import('./import-lines.ts'),
        import('./import-progress.ts'),
      ]);
      const store = await openStore(config);
      const progress = progressOn(process.stderr);
      try {
        const { added, known } = await importAnimals(store, animalsIn(process.stdin), ({ added, known }) =>
          progress.show(added + known),
        );
        progress.end(`Added ${added} animals; ${known} were there already.`);
      } catch (error) {
        progress.end();
        throw error;
      } finally {
        await store.close();
      }
    });
}
