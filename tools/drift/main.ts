// Fails when the generated code is not what spec/openapi.yaml says, one line for each file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate, generated } from '../generate/generate.ts';
import { differences } from './differences.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const scratch = await mkdtemp(join(tmpdir(), 'petstore-drift-'));
try {
  await generate(scratch);
  for (const folder of generated) {
    for (const { file, what } of await differences(join(scratch, folder), join(root, folder))) {
      console.error(`${folder}/${file}: ${what}; mend it with \`npm run generate\``);
      process.exitCode = 1;
    }
  }
} finally {
  await rm(scratch, { recursive: true });
}
