import type { Command } from 'commander';
import { secretsOf } from '../config/environment.ts';
import { configFrom } from '../config.ts';
import { formatOf } from './data-folder.ts';
import { UsageError } from './errors.ts';
import { addSettings, settingTexts } from './flags.ts';
import { collectionArgument, storeSettings } from './import.ts';

/** `export`: writes every document of a collection of the configured store to stdout, as JSON Lines. */
export function addExportCommand(root: Command, env: NodeJS.ProcessEnv): void {
  const summary = 'write every document to stdout, one JSON object per line, in ascending order of identifiers';
  const command = root.command('export').summary(summary).addArgument(collectionArgument());
  addSettings(command, storeSettings)
    .description(`${summary}.\n\nStop the server before you export a data folder; export a database at any time.`)
    .action(async (name: string) => {
      const config = configFrom(settingTexts(command, env), secretsOf(env));
      if (config.databaseUrl === undefined && !(await formatOf(config.dataDir)))
        throw new UsageError(`there is no store in ${config.dataDir}; name another folder with --data-dir.`);
      // Loaded on demand, to start other commands faster.
      const [{ openStore }, { exportDocuments }, { progressOn }] = await Promise.all([
        import('../store/open.ts'),
        import('./export-documents.ts'),
        import('./import.ts'),
      ]);
      const store = await openStore(config);
      const progress = progressOn(process.stderr, name);
      try {
        const documents = await exportDocuments(store.collection(name), process.stdout, progress.show);
        progress.end(`Wrote ${documents} ${name}.`);
      } catch (error) {
        progress.end();
        throw error;
      } finally {
        await store.close();
      }
    });
}
