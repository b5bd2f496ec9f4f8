#!/usr/local/bin/node
// The command of the image. Secrets come from a mounted file, so that neither the image nor the container's settings hold them.
import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

const secrets = '/run/secrets/petstore.env';
if (existsSync(secrets)) loadEnvFile(secrets);
await import('/app/node_modules/@petstore/server/dist/main.js');
