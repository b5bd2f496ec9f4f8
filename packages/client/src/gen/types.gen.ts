<<<<<<< HEAD
// Generated from spec/openapi.yaml (11ffd0af5681c010) by `npm run generate`. Do not edit.
=======
// Generated from spec/openapi.yaml (021bd426c150c7c6) by `npm run generate`. Do not edit.
>>>>>>> petctl

export type {
  ApiError,
  CategoryId,
  ErrorCode,
  NewPet,
  Pet,
  PetId,
  PetName,
  PetStatus,
} from '@petstore/types';
