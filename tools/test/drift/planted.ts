import { plantedElsewhere } from './planted-elsewhere.ts';
import { plantedInPages } from './planted-pages.ts';
import { plantedInServer } from './planted-server.ts';
import { plantedInSurfaces } from './planted-surfaces.ts';
import type { PlantedDrift } from './planting.ts';

/** Every edit that a check has to find. */
export const planted: readonly PlantedDrift[] = [
  ...plantedElsewhere,
  ...plantedInPages,
  ...plantedInSurfaces,
  ...plantedInServer,
];
