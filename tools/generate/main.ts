// Generates everything that follows from spec/openapi.yaml, and writes the files that differ.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { differences, generatedFiles } from '../drift/checks/generated.ts';
import { openProject } from '../drift/project.ts';
import { root } from '../repository.ts';
import { SpecError } from './document.ts';
import { generateEverything } from './everything.ts';
import { readModel } from './generate.ts';

const project = openProject();
const expected = await generateOrExit(project.read('spec/openapi.yaml'));
const changes = differences(expected, generatedFiles(project));
for (const { file } of changes) {
  const path = join(root, file);
  const text = expected.get(file);
  if (text === undefined) {
    rmSync(path);
    console.log(`removed ${file}`);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${file}`);
  }
}
// petctl's reference depends on the commands, which depend on the generated operations, so it is written last.
if (changes.length > 0) {
  const petctl = join(root, 'apps/petctl');
  execFileSync(process.execPath, ['build/write-docs.ts'], { cwd: petctl, stdio: 'inherit' });
}

async function generateOrExit(spec: string): Promise<Map<string, string>> {
  try {
    return await generateEverything(readModel(spec));
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    for (const message of error.messages) console.error(`spec/openapi.yaml: ${message}`);
    process.exit(1);
  }
}
