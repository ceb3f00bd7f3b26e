"""The stable interface for plug-ins: tasks, measures, formats and parameters from other packages.

    from evenhand.plugins import Format, Reader

Plug-ins import from this module only; other modules may change. Names are loaded on first use.

Tasks: a `Task` and its groups (entry points of `evenhand.tasks`)

    Task              the declaration of a task
    Example           the bundled example of a task
    MeasureSelection  the measures that each command uses by default
    InputSpec         how inputs of a task are detected, aligned and labeled
    SettingRules      checks and defaults of settings, and notes on them
    EvaluationSpec    how a task is aligned and evaluated, and its notes
    labeled_units     the `EvaluationSpec` of predefined units with one label each
    ErrorTypes        the error types of units
    ComparisonSpec    slices, similarity and unit tables of a task
    AgreementSpec     how the agreement of annotators is measured
    Display           tables, figures and pages of a task
    Confusion         the confusion matrix of a task
    GoldProfile       task and traits of a gold file
    lazy              a function that is imported when it is first called

Evaluation: what the functions of an `EvaluationSpec` receive and return

    EvaluationRequest  inputs, settings and scorers of an evaluation
    Inputs             functions that open the gold standard and the systems
    Alignment          the gold standard and all systems, read in step
    Follower           reads a system in step with the gold standard
    SpanFollower       the follower of spans
    AlignedSpans       what `SpanFollower` has in a part
    Part               aligned annotations that are evaluated together
    Offsets            numbers of sentences and documents before a batch of a part
    Evaluation         tallies, units and error types of one part
    SideSummary        sizes and label counts of one side
    UnitRows           the units that a measure counts, as rows
    Places             positions of units, in `UnitRows`
    Locations          file, line, sentence and document of units
    Predictions        units of a measure, and the predictions of several systems for them
    SentenceView       the annotation of all sides by sentence
    DrawnRows          the rows of one side of a `SentenceView`
    sentence_units     every sentence as a unit, for `labeled_units`
    label_notes        notes on labels, for `EvaluationSpec.notes`

Measures: a `Measure`, its scorer and its formula (entry points of `evenhand.models`)

    Measure          the declaration of a measure
    Scorer           the function that counts, and what it needs
    Formula          the scores that are computed from counts
    PrecisionRecall  the counts that precision and recall divide
    Ratio            a named ratio of counts
    MeanOf           the mean of several formulas
    Breakdown        scores by label and averages
    WeightedCounts   count types with weights
    count_errors     formula for TP, FP and error types
    count_hits       formula for hits on both sides
    ratios_only      formula with ratios in place of precision and recall
    LABELS           the scorer of `labeled_units`
    label_accuracy   formula for the accuracy of labels that `LABELS` counts
    by_label         formula for the accuracy of labels with other count types
    RIGHT_OR_WRONG   the count types of `by_label`
    Tally            sparse counts that add up
    SPAN_MEASURES    the built-in measures of spans, whose scorers can be reused
    SpanPair         gold and system spans of a part, the input of span scorers
    Hits             spans of both sides that are hit
    tally_hits       the tally of hits

Parameters: options of tasks and measures

    Parameter            the declaration of a parameter
    Allowed              its allowed values
    CommandLine          its option on the command line
    Effect               what it affects
    ParameterConversion  how its values are parsed and spelled

Formats: a `Format` and its groups (entry points of `evenhand.formats`)

    Format         the declaration of a format
    Reader         reads a format for a task
    Writer         writes a format for a task
    Detection      how a format is recognised
    Contents       what files of a format contain
    Capabilities   what a format can represent
    ObjectSupport  objects of other libraries
    Partitioning   how a file can be divided
    Conversion     target and settings of a conversion
    Source         a file as checked UTF-8 blocks
    Block          a block of a file

Data: annotations in memory

    Annotation    a corpus with layers
    ReadInfo      how a file was read
    Corpus        documents, sentences and tokens
    Tokens        tokens as byte ranges
    Vocabulary    labels and other strings as integer codes
    Tags          a layer with one tag per token
    Spans         a layer of spans
    Trees         a layer of dependency trees
    Chains        a layer of coreference chains
    Relations     a layer of relations
    Constituents  a layer of constituents
    tags          an annotation from lists of tags
    spans         an annotation from lists of spans

Settings, arrays and errors

    ScoreSettings  settings of an evaluation
    ReadSettings   settings of a reader
    Columns        columns by layer, for readers
    Bools          array of booleans
    Ints           array of integers
    Values         array of floats
    pack           equal rows of several columns as equal integers
    InputError     an error in a file, with its line
    SettingError   an error in an option
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.registry import set_lazy_attributes

if TYPE_CHECKING:
    from evenhand.alignment.parts import Alignment as Alignment
    from evenhand.alignment.parts import Follower as Follower
    from evenhand.alignment.spans import AlignedSpans as AlignedSpans
    from evenhand.alignment.spans import SpanFollower as SpanFollower
    from evenhand.arrays import Bools as Bools
    from evenhand.arrays import Ints as Ints
    from evenhand.arrays import Values as Values
    from evenhand.arrays import pack as pack
    from evenhand.data.annotation import Annotation as Annotation
    from evenhand.data.annotation import ReadInfo as ReadInfo
    from evenhand.data.corpus import Corpus as Corpus
    from evenhand.data.from_lists import spans as spans
    from evenhand.data.from_lists import tags as tags
    from evenhand.data.layers import Spans as Spans
    from evenhand.data.layers import Tags as Tags
    from evenhand.data.layers import Trees as Trees
    from evenhand.data.structures import Chains as Chains
    from evenhand.data.structures import Constituents as Constituents
    from evenhand.data.structures import Relations as Relations
    from evenhand.data.tokens import Tokens as Tokens
    from evenhand.data.vocabulary import Vocabulary as Vocabulary
    from evenhand.errors import InputError as InputError
    from evenhand.errors import SettingError as SettingError
    from evenhand.formats.convert import Conversion as Conversion
    from evenhand.formats.format import Capabilities as Capabilities
    from evenhand.formats.format import Contents as Contents
    from evenhand.formats.format import Detection as Detection
    from evenhand.formats.format import Format as Format
    from evenhand.formats.format import ObjectSupport as ObjectSupport
    from evenhand.formats.format import Reader as Reader
    from evenhand.formats.format import Writer as Writer
    from evenhand.formats.partition import Partitioning as Partitioning
    from evenhand.formats.source import Block as Block
    from evenhand.formats.source import Source as Source
    from evenhand.parameters import Allowed as Allowed
    from evenhand.parameters import CommandLine as CommandLine
    from evenhand.parameters import Effect as Effect
    from evenhand.parameters import Parameter as Parameter
    from evenhand.parameters import ParameterConversion as ParameterConversion
    from evenhand.registry import lazy as lazy
    from evenhand.scoring.measure import Breakdown as Breakdown
    from evenhand.scoring.measure import Formula as Formula
    from evenhand.scoring.measure import MeanOf as MeanOf
    from evenhand.scoring.measure import Measure as Measure
    from evenhand.scoring.measure import PrecisionRecall as PrecisionRecall
    from evenhand.scoring.measure import Ratio as Ratio
    from evenhand.scoring.measure import Scorer as Scorer
    from evenhand.scoring.measure import WeightedCounts as WeightedCounts
    from evenhand.scoring.measure import count_errors as count_errors
    from evenhand.scoring.measure import count_hits as count_hits
    from evenhand.scoring.measure import ratios_only as ratios_only
    from evenhand.scoring.tally import Tally as Tally
    from evenhand.settings import Columns as Columns
    from evenhand.settings import ReadSettings as ReadSettings
    from evenhand.settings import ScoreSettings as ScoreSettings
    from evenhand.tasks.evaluation import Evaluation as Evaluation
    from evenhand.tasks.evaluation import EvaluationRequest as EvaluationRequest
    from evenhand.tasks.evaluation import Inputs as Inputs
    from evenhand.tasks.evaluation import Offsets as Offsets
    from evenhand.tasks.evaluation import Part as Part
    from evenhand.tasks.evaluation import SideSummary as SideSummary
    from evenhand.tasks.labeled_units import sentence_units as sentence_units
    from evenhand.tasks.spans.matching import SpanPair as SpanPair
    from evenhand.tasks.spans.measures import MEASURES as _SPAN_MEASURES
    from evenhand.tasks.spans.overlap import Hits as Hits
    from evenhand.tasks.spans.overlap import tally_hits as tally_hits
    from evenhand.tasks.task import AgreementSpec as AgreementSpec
    from evenhand.tasks.task import ComparisonSpec as ComparisonSpec
    from evenhand.tasks.task import Confusion as Confusion
    from evenhand.tasks.task import Display as Display
    from evenhand.tasks.task import ErrorTypes as ErrorTypes
    from evenhand.tasks.task import EvaluationSpec as EvaluationSpec
    from evenhand.tasks.task import Example as Example
    from evenhand.tasks.task import GoldProfile as GoldProfile
    from evenhand.tasks.task import InputSpec as InputSpec
    from evenhand.tasks.task import MeasureSelection as MeasureSelection
    from evenhand.tasks.task import SettingRules as SettingRules
    from evenhand.tasks.task import Task as Task
    from evenhand.tasks.task import labeled_units as labeled_units
    from evenhand.tasks.unit_rows import Places as Places
    from evenhand.tasks.unit_rows import UnitRows as UnitRows
    from evenhand.tasks.units import DrawnRows as DrawnRows
    from evenhand.tasks.units import Locations as Locations
    from evenhand.tasks.units import Predictions as Predictions
    from evenhand.tasks.units import SentenceView as SentenceView
    from evenhand.tasks.words.measures import LABELS as LABELS
    from evenhand.tasks.words.measures import TAG_KINDS as _RIGHT_OR_WRONG
    from evenhand.tasks.words.measures import by_label as by_label
    from evenhand.tasks.words.measures import label_accuracy as label_accuracy
    from evenhand.tasks.words.measures import notes as _label_notes

    SPAN_MEASURES = _SPAN_MEASURES
    RIGHT_OR_WRONG = _RIGHT_OR_WRONG
    label_notes = _label_notes

_NAMES = {
    "evenhand.alignment.parts": ("Alignment", "Follower"),
    "evenhand.alignment.spans": ("AlignedSpans", "SpanFollower"),
    "evenhand.arrays": ("Bools", "Ints", "Values", "pack"),
    "evenhand.data.annotation": ("Annotation", "ReadInfo"),
    "evenhand.data.corpus": ("Corpus",),
    "evenhand.data.from_lists": ("spans", "tags"),
    "evenhand.data.layers": ("Spans", "Tags", "Trees"),
    "evenhand.data.structures": ("Chains", "Constituents", "Relations"),
    "evenhand.data.tokens": ("Tokens",),
    "evenhand.data.vocabulary": ("Vocabulary",),
    "evenhand.errors": ("InputError", "SettingError"),
    "evenhand.formats.convert": ("Conversion",),
    "evenhand.formats.format": ("Capabilities", "Contents", "Detection", "Format", "ObjectSupport", "Reader", "Writer"),
    "evenhand.formats.partition": ("Partitioning",),
    "evenhand.formats.source": ("Block", "Source"),
    "evenhand.parameters": ("Allowed", "CommandLine", "Effect", "Parameter", "ParameterConversion"),
    "evenhand.registry": ("lazy",),
    "evenhand.scoring.measure": (
        *("Breakdown", "Formula", "MeanOf", "Measure", "PrecisionRecall", "Ratio", "Scorer", "WeightedCounts"),
        *("count_errors", "count_hits", "ratios_only"),
    ),
    "evenhand.scoring.tally": ("Tally",),
    "evenhand.settings": ("Columns", "ReadSettings", "ScoreSettings"),
    "evenhand.tasks.evaluation": (*("Evaluation", "EvaluationRequest", "Inputs", "Offsets", "Part", "SideSummary"),),
    "evenhand.tasks.labeled_units": ("sentence_units",),
    "evenhand.tasks.spans.matching": ("SpanPair",),
    "evenhand.tasks.spans.overlap": ("Hits", "tally_hits"),
    "evenhand.tasks.task": (
        *("AgreementSpec", "ComparisonSpec", "Confusion", "Display", "ErrorTypes", "EvaluationSpec", "Example"),
        *("GoldProfile", "InputSpec", "MeasureSelection", "SettingRules", "Task", "labeled_units"),
    ),
    "evenhand.tasks.unit_rows": ("Places", "UnitRows"),
    "evenhand.tasks.units": ("DrawnRows", "Locations", "Predictions", "SentenceView"),
    "evenhand.tasks.words.measures": ("LABELS", "by_label", "label_accuracy"),
}

set_lazy_attributes(
    __name__,
    _NAMES,
    RIGHT_OR_WRONG="evenhand.tasks.words.measures:TAG_KINDS",
    SPAN_MEASURES="evenhand.tasks.spans.measures:MEASURES",
    label_notes="evenhand.tasks.words.measures:notes",
)
