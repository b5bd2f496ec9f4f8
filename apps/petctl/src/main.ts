#!/usr/bin/env node
import { ConnectionError, PetstoreError, petstore } from '@petstore/client';
import { program } from './program.ts';

try {
  await program(({ baseUrl = process.env.PETCTL_BASE_URL }) =>
    petstore({ apiKey: process.env.PETCTL_API_KEY ?? '', ...(baseUrl && { baseUrl }) }),
  ).parseAsync();
} catch (error) {
  if (!(error instanceof PetstoreError || error instanceof ConnectionError)) throw error;
  process.stderr.write(`petctl: ${error.message}\n`);
  process.exitCode = 1;
}
