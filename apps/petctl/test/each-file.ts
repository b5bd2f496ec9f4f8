import { afterAll } from 'vitest';
import { cleanUp } from './cleanup.ts';
import { newScratch } from './petctl.ts';

newScratch();
afterAll(cleanUp);
