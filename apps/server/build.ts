// Adds to `dist`, which is what is published, the files that its modules read.
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

cpSync('src/docs', 'dist/docs', { recursive: true });
const swaggerUi = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
mkdirSync('dist/swagger-ui');
for (const file of [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'NOTICE',
])
  cpSync(join(swaggerUi, file), join('dist/swagger-ui', file));
// Under its own name pnpm would take it for the licence of the package.
cpSync(join(swaggerUi, 'LICENSE'), 'dist/swagger-ui/THIRD-PARTY-LICENSE.txt');
