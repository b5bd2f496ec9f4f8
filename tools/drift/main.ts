// Fails when the generated code is not what spec/openapi.yaml says, with one line for each file.
import { withGenerated } from '../generate/generate.ts';
import { outdated } from './generated.ts';

for (const { file, what } of await withGenerated(outdated)) {
  console.error(`${file}: ${what}; mend it with \`npm run generate\``);
  process.exitCode = 1;
}
