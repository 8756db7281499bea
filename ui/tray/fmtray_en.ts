<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name>fmd::tray::Events</name>
    <message numerus="yes">
        <source>%n event(s)</source>
        <translation>
            <numerusform>%n event</numerusform>
            <numerusform>%n events</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>fmd::tray::Fleet</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n disk(s)</source>
        <translation>
            <numerusform>%n disk</numerusform>
            <numerusform>%n disks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>fmd::tray::MapHelper</name>
    <message numerus="yes">
        <source>The %n bay(s) placed so far are dropped.</source>
        <translation>
            <numerusform>The bay placed so far is dropped.</numerusform>
            <numerusform>The %n bays placed so far are dropped.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n bay(s) were skipped. Save the description, or go back to them.</source>
        <translation>
            <numerusform>%n bay was skipped. Save the description, or go back to it.</numerusform>
            <numerusform>%n bays were skipped. Save the description, or go back to them.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>fmd::tray::PartActions</name>
    <message numerus="yes">
        <source>%1 will survive %n more loss(es).</source>
        <translation>
            <numerusform>%1 will survive %n more loss.</numerusform>
            <numerusform>%1 will survive %n more losses.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>fmd::tray::Pools</name>
    <message numerus="yes">
        <source>%n device(s) missing</source>
        <translation>
            <numerusform>%n device missing</numerusform>
            <numerusform>%n devices missing</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>fmd::tray::Problems</name>
    <message numerus="yes">
        <source>No open problem matches. %n resolved one(s) do.</source>
        <translation>
            <numerusform>No open problem matches. %n resolved one does.</numerusform>
            <numerusform>No open problem matches. %n resolved ones do.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message numerus="yes">
        <source>Evidence: %n event(s)</source>
        <translation>
            <numerusform>Evidence: %n event</numerusform>
            <numerusform>Evidence: %n events</numerusform>
        </translation>
    </message>
</context>
</TS>
