import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { secretsOf } from '../config/environment.ts';
import { configFrom } from '../config.ts';
import { UsageError } from './errors.ts';
import { addSettings, givenTo } from './given.ts';
import { storeSettings } from './import.ts';

/** `export`: every animal of the store that the settings name goes to stdout, as JSON Lines. */
export function addExportCommand(root: Command, env: NodeJS.ProcessEnv): void {
  const summary = 'write every animal to stdout, one JSON object a line, in ascending order of identifiers';
  const command = root.command('export').summary(summary);
  addSettings(command, storeSettings)
    .description(`${summary}.\n\nA data folder can be exported while no server runs, a database at any time.`)
    .action(async () => {
      const config = configFrom(givenTo(command, env), secretsOf(env));
      const isThere = ['store.json', 'pets'].some((name) => existsSync(join(config.dataDir, name)));
      if (config.databaseUrl === undefined && !isThere)
        throw new UsageError(`there are no animals in ${config.dataDir}; name another folder with --data-dir.`);
      // Loaded only to be run: the other commands answer at once.
      const [{ openStore }, { exportAnimals }, { progressOn }] = await Promise.all([
        import('../store/open.ts'),
        import('./export-animals.ts'),
        import('./import-progress.ts'),
      ]);
      const store = await openStore(config);
      const progress = progressOn(process.stderr);
      try {
        const animals = await exportAnimals(store, process.stdout, progress.show);
        progress.end(`Wrote ${animals} animals.`);
      } catch (error) {
        progress.end();
        throw error;
      } finally {
        await store.close();
      }
    });
}
