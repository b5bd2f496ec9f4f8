// D1: the generated code is what the spec generates.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generate, notGenerated } from '../generate/main.ts';
import { root, textOf } from '../repository.ts';
import type { Findings } from './findings.ts';
import type { Spec } from './spec.ts';

export async function check({ text }: Spec, findings: Findings): Promise<void> {
  const generated = await generate(text);
  for (const [file, code] of generated) {
    if (!existsSync(join(root, file))) findings.add(`${file} is missing`);
    else if (textOf(file) !== code) findings.add(`${file} is not what the spec generates`);
  }
  for (const file of notGenerated(generated))
    findings.add(`${file} is not generated`, '', 'remove it');
}
