/* Order of search results: pages that answer questions before lists and histories. */
const PLACES = [[/^(tutorials|how-to)/, 4], [/^(explanation\/measures|reference\/glossary)/, 6],
  [/^reference\/(definitions|formats)/, 2], [/^(CHANGELOG|explanation|reference\/api)/, -3]];
var Scorer = {
  score: ([page, , , , score]) => PLACES.reduce((sum, [place, gain]) => sum + (place.test(page) ? gain : 0), score),
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
