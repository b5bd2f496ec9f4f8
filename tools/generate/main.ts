// Regenerates everything that comes from spec/openapi.yaml.
import { fileURLToPath } from 'node:url';
import { generate } from './generate.ts';

await generate(fileURLToPath(new URL('../..', import.meta.url)));
