<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de">
<context>
    <name>fmd::tray::ChassisPage</name>
    <message>
        <source>Chassis</source>
        <translation>Gehäuse</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>All chassis</source>
        <translation>Alle Gehäuse</translation>
    </message>
    <message>
        <source>&amp;Fault domains</source>
        <translation>Feh&amp;lerbereiche</translation>
    </message>
    <message>
        <source>Outlines what fails together: the bays of a backplane, expander or HBA</source>
        <translation>Umrandet, was zusammen ausfällt: die Schächte einer Backplane, eines Expanders oder HBAs</translation>
    </message>
    <message>
        <source>&amp;Describe this chassis…</source>
        <translation>&amp;Dieses Gehäuse beschreiben …</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>Farbe nach</translation>
    </message>
    <message>
        <source>The positions of its bays are not described; they are shown in the order of their labels</source>
        <translation>Die Lage seiner Schächte ist nicht beschrieben; sie stehen in der Reihenfolge ihrer Beschriftungen</translation>
    </message>
    <message>
        <source>Colour b&amp;y:</source>
        <translation>Farbe &amp;nach:</translation>
    </message>
    <message>
        <source>Sensors (%1)</source>
        <translation>Fühler (%1)</translation>
    </message>
    <message>
        <source>Framed bays: %1</source>
        <translation>Umrahmte Schächte: %1</translation>
    </message>
</context>
<context>
    <name>fmd::tray::ChassisView</name>
    <message>
        <source>Picture of the chassis</source>
        <translation>Bild des Gehäuses</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Components</name>
    <message>
        <source>Bays</source>
        <translation>Schächte</translation>
    </message>
    <message>
        <source>Power supplies</source>
        <translation>Netzteile</translation>
    </message>
    <message>
        <source>Fans</source>
        <translation>Lüfter</translation>
    </message>
    <message>
        <source>Processors</source>
        <translation>Prozessoren</translation>
    </message>
    <message>
        <source>Memory modules</source>
        <translation>Speichermodule</translation>
    </message>
    <message>
        <source>Cards</source>
        <translation>Karten</translation>
    </message>
    <message>
        <source>Sensors</source>
        <translation>Fühler</translation>
    </message>
    <message>
        <source>Component</source>
        <translation>Bauteil</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>Bauteile</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Demo</name>
    <message>
        <source>python3 is needed for the demo</source>
        <translation>Für die Vorführung wird python3 gebraucht</translation>
    </message>
    <message>
        <source>The simulated host has ended (status %1)</source>
        <translation>Der simulierte Rechner hat sich beendet (Status %1)</translation>
    </message>
    <message>
        <source>A storage server: eight bays, a raidz2 pool of six disks, a spare. All is well.</source>
        <translation>Ein Speicherserver: acht Schächte, ein raidz2-Pool aus sechs Platten, eine Reserve. Alles ist in Ordnung.</translation>
    </message>
    <message>
        <source>The disk in bay 4 begins to return garbage</source>
        <translation>Die Platte in Schacht 4 beginnt, Unsinn zu liefern</translation>
    </message>
    <message>
        <source>The disk in bay 4 returns garbage. Nobody has noticed.</source>
        <translation>Die Platte in Schacht 4 liefert Unsinn. Noch hat es niemand bemerkt.</translation>
    </message>
    <message>
        <source>The monthly scrub finds it</source>
        <translation>Der monatliche Scrub findet es</translation>
    </message>
    <message>
        <source>Ten checksum errors: the disk is faulty. The spare takes over when the scrub has ended.</source>
        <translation>Zehn Prüfsummenfehler: Die Platte ist defekt. Die Reserve übernimmt, wenn der Scrub beendet ist.</translation>
    </message>
    <message>
        <source>A person pulls the disk</source>
        <translation>Jemand zieht die Platte</translation>
    </message>
    <message>
        <source>The bay is empty.</source>
        <translation>Der Schacht ist leer.</translation>
    </message>
    <message>
        <source>A new disk goes in</source>
        <translation>Eine neue Platte kommt hinein</translation>
    </message>
    <message>
        <source>The new disk is taken; when it holds all data the case is resolved.</source>
        <translation>Die neue Platte ist übernommen; sobald sie alle Daten hat, ist der Fall gelöst.</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Details</name>
    <message>
        <source>Status</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>Warum</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Serial</source>
        <translation>Seriennummer</translation>
    </message>
    <message>
        <source>Part number</source>
        <translation>Teilenummer</translation>
    </message>
    <message>
        <source>Firmware</source>
        <translation>Firmware</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>SMART</source>
        <translation>SMART</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>Pool</translation>
    </message>
    <message>
        <source>Fault light</source>
        <translation>Fehlerlicht</translation>
    </message>
    <message>
        <source>Locate light</source>
        <translation>Suchlicht</translation>
    </message>
    <message>
        <source>Select a part in the picture to see its details.</source>
        <translation>Ein Teil im Bild auswählen, um Einzelheiten zu sehen.</translation>
    </message>
    <message>
        <source>State in the pool</source>
        <translation>Zustand im Pool</translation>
    </message>
    <message>
        <source>Manufacturer</source>
        <translation>Hersteller</translation>
    </message>
    <message>
        <source>Chassis</source>
        <translation>Gehäuse</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>Ort</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>Messwert</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Link speed</source>
        <translation>Geschwindigkeit der Verbindung</translation>
    </message>
    <message>
        <source>Link width</source>
        <translation>Breite der Verbindung</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Events</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>Klasse</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>class, for example ereport.fs.zfs.*</source>
        <translation>Klasse, zum Beispiel ereport.fs.zfs.*</translation>
    </message>
    <message>
        <source>part: serial, device, pool</source>
        <translation>Teil: Seriennummer, Gerät, Pool</translation>
    </message>
    <message>
        <source>The last hour</source>
        <translation>Letzte Stunde</translation>
    </message>
    <message>
        <source>The last day</source>
        <translation>Letzter Tag</translation>
    </message>
    <message>
        <source>The last week</source>
        <translation>Letzte Woche</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>The selected event</source>
        <translation>Das ausgewählte Ereignis</translation>
    </message>
    <message numerus="yes">
        <source>%n event(s)</source>
        <translation>
            <numerusform>%n Ereignis</numerusform>
            <numerusform>%n Ereignisse</numerusform>
        </translation>
    </message>
    <message>
        <source>No events in this time range.</source>
        <translation>Keine Ereignisse in dieser Zeit.</translation>
    </message>
    <message>
        <source>Select an event to see all that it says.</source>
        <translation>Wählen Sie ein Ereignis, um alles darin zu sehen.</translation>
    </message>
    <message>
        <source>From … to …</source>
        <translation>Von … bis …</translation>
    </message>
    <message>
        <source>To</source>
        <translation>Bis</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Fleet</name>
    <message>
        <source>not connected; as of %1</source>
        <translation>nicht verbunden; Stand von %1</translation>
    </message>
    <message>
        <source>connecting…</source>
        <translation>verbindet …</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und %n weiteres</numerusform>
            <numerusform>und %n weitere</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n disk(s)</source>
        <translation>
            <numerusform>%n Platte</numerusform>
            <numerusform>%n Platten</numerusform>
        </translation>
    </message>
    <message>
        <source>No open problem is known</source>
        <translation>Kein offenes Problem bekannt</translation>
    </message>
    <message>
        <source>Not watching: %1</source>
        <translation>Überwacht nicht: %1</translation>
    </message>
</context>
<context>
    <name>Health</name>
    <message>
        <source>No problems</source>
        <translation>Keine Probleme</translation>
    </message>
    <message>
        <source>Minor problems</source>
        <translation>Kleinere Probleme</translation>
    </message>
    <message>
        <source>Something needs attention</source>
        <translation>Es besteht Handlungsbedarf</translation>
    </message>
    <message>
        <source>Not connected: state unknown</source>
        <translation>Nicht verbunden: Der Zustand ist nicht bekannt</translation>
    </message>
    <message>
        <source>is not running</source>
        <translation>läuft nicht</translation>
    </message>
    <message>
        <source>does not respond</source>
        <translation>antwortet nicht</translation>
    </message>
    <message>
        <source>Nothing is watched: state unknown</source>
        <translation>Nichts wird überwacht: Zustand unbekannt</translation>
    </message>
    <message>
        <source>Not everything is watched: state unknown</source>
        <translation>Nicht alles wird überwacht: Zustand unbekannt</translation>
    </message>
    <message>
        <source>Nothing is watched: faults are not noticed.</source>
        <translation>Nichts wird überwacht: Fehler werden nicht bemerkt.</translation>
    </message>
    <message>
        <source>Not everything is watched: some faults are not noticed.</source>
        <translation>Nicht alles wird überwacht: Manche Fehler werden nicht bemerkt.</translation>
    </message>
    <message>
        <source>Not watching: %1</source>
        <translation>Überwacht nicht: %1</translation>
    </message>
</context>
<context>
    <name>fmd::tray::HostPages</name>
    <message>
        <source>&amp;Chassis</source>
        <translation>&amp;Gehäuse</translation>
    </message>
    <message>
        <source>&amp;Problems</source>
        <translation>&amp;Probleme</translation>
    </message>
    <message>
        <source>P&amp;ools</source>
        <translation>P&amp;ools</translation>
    </message>
    <message>
        <source>&amp;Telemetry</source>
        <translation>&amp;Messwerte</translation>
    </message>
    <message>
        <source>&amp;Events</source>
        <translation>&amp;Ereignisse</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>Verbindet …</translation>
    </message>
    <message>
        <source>Not connected: what is shown is from %1. %2</source>
        <translation>Nicht verbunden: Gezeigt wird der Stand von %1. %2</translation>
    </message>
    <message>
        <source>Not connected. %1</source>
        <translation>Nicht verbunden. %1</translation>
    </message>
    <message>
        <source>&amp;Problems (%1)</source>
        <translation>&amp;Probleme (%1)</translation>
    </message>
    <message>
        <source>Show a s&amp;imulated host instead</source>
        <translation>Stattdessen einen s&amp;imulierten Rechner zeigen</translation>
    </message>
    <message>
        <source>The simulated host cannot be started</source>
        <translation>Der simulierte Rechner lässt sich nicht starten</translation>
    </message>
    <message>
        <source>Opens a window that plays the story of a failing disk</source>
        <translation>Öffnet ein Fenster, das die Geschichte einer ausfallenden Platte abspielt</translation>
    </message>
    <message>
        <source>That part is not in any picture: %1</source>
        <translation>Dieses Teil ist auf keinem Bild: %1</translation>
    </message>
    <message>
        <source>%1 is in no picture: the bays that depend on it are outlined</source>
        <translation>%1 ist in keinem Bild: Die Schächte, die davon abhängen, sind umrandet</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Legend</name>
    <message>
        <source>Signs in the picture: %1</source>
        <translation>Zeichen im Bild: %1</translation>
    </message>
</context>
<context>
    <name>fmd::tray::LineList</name>
    <message>
        <source>Lines of the chart</source>
        <translation>Linien des Diagramms</translation>
    </message>
    <message>
        <source>%1: a click or Enter goes one step down</source>
        <translation>%1: ein Klick oder die Eingabetaste führt eine Stufe tiefer</translation>
    </message>
</context>
<context>
    <name>fmd::tray::MapHelper</name>
    <message>
        <source>Describe a chassis</source>
        <translation>Ein Gehäuse beschreiben</translation>
    </message>
    <message>
        <source>Places of the bays</source>
        <translation>Plätze der Schächte</translation>
    </message>
    <message>
        <source> rack units</source>
        <translation> Höheneinheiten</translation>
    </message>
    <message>
        <source>as printed beside the bay</source>
        <translation>wie am Schacht aufgedruckt</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>Vorderseite</translation>
    </message>
    <message>
        <source>Rear</source>
        <translation>Rückseite</translation>
    </message>
    <message>
        <source>From above</source>
        <translation>Von oben</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>Innen</translation>
    </message>
    <message>
        <source>S&amp;kip this bay</source>
        <translation>Schacht über&amp;springen</translation>
    </message>
    <message>
        <source>One &amp;back</source>
        <translation>Einen &amp;zurück</translation>
    </message>
    <message>
        <source>&amp;Save the description…</source>
        <translation>Bes&amp;chreibung speichern …</translation>
    </message>
    <message>
        <source>Its &amp;label:</source>
        <translation>&amp;Beschriftung:</translation>
    </message>
    <message>
        <source>&amp;Name of the chassis:</source>
        <translation>&amp;Name des Gehäuses:</translation>
    </message>
    <message>
        <source>Seen &amp;from:</source>
        <translation>Gesehen &amp;von:</translation>
    </message>
    <message>
        <source>&amp;Rows of bays:</source>
        <translation>&amp;Reihen von Schächten:</translation>
    </message>
    <message>
        <source>&amp;Height or depth:</source>
        <translation>&amp;Höhe oder Tiefe:</translation>
    </message>
    <message>
        <source>It is known as %1 and is empty.</source>
        <translation>Er ist als %1 bekannt und leer.</translation>
    </message>
    <message>
        <source>It is known as %1 and holds %2, serial %3.</source>
        <translation>Er ist als %1 bekannt und enthält %2, Seriennummer %3.</translation>
    </message>
    <message>
        <source>Nothing can be mapped here.</source>
        <translation>Hier lässt sich nichts zuordnen.</translation>
    </message>
    <message>
        <source>Bay %1 of %2</source>
        <translation>Schacht %1 von %2</translation>
    </message>
    <message>
        <source>Its disk was just pulled: %1. Click where it was.</source>
        <translation>Seine Platte wurde eben gezogen: %1. Anklicken, wo sie war.</translation>
    </message>
    <message>
        <source>%1: its light is being switched on…</source>
        <translation>%1: sein Licht wird eingeschaltet …</translation>
    </message>
    <message>
        <source>%1 blinks. Click where it is.</source>
        <translation>%1 blinkt. Anklicken, wo er ist.</translation>
    </message>
    <message>
        <source>%1 does not blink: %2.</source>
        <translation>%1 blinkt nicht: %2.</translation>
    </message>
    <message>
        <source>Row %1, column %2: free</source>
        <translation>Reihe %1, Spalte %2: frei</translation>
    </message>
    <message>
        <source>A label cannot hold braces.</source>
        <translation>Eine Beschriftung kann keine geschweiften Klammern enthalten.</translation>
    </message>
    <message>
        <source>Save the description</source>
        <translation>Beschreibung speichern</translation>
    </message>
    <message>
        <source>Chassis (*.toml)</source>
        <translation>Gehäuse (*.toml)</translation>
    </message>
    <message>
        <source>Seen from</source>
        <translation>Gesehen von</translation>
    </message>
    <message>
        <source>It is this machine&apos;s own back&amp;plane</source>
        <translation>Es ist die Back&amp;plane dieses Rechners</translation>
    </message>
    <message>
        <source>Bays in a ro&amp;w:</source>
        <translation>Schächte je R&amp;eihe:</translation>
    </message>
    <message>
        <source>%1 of %2 bays placed.</source>
        <translation>%1 von %2 Schächten haben ihren Platz.</translation>
    </message>
    <message>
        <source>All bays are done. Save the description.</source>
        <translation>Das war alles. Beschreibung speichern.</translation>
    </message>
    <message>
        <source>it has no light that can be switched</source>
        <translation>er hat kein Licht, das sich schalten lässt</translation>
    </message>
    <message>
        <source>Find that serial number on the disks and click its position. Or pull a disk that no pool uses: you are then asked for its bay.</source>
        <translation>Diese Seriennummer auf den Platten suchen und anklicken, wo sie ist. Oder eine Platte ziehen, die kein Pool benutzt: nach ihrem Schacht wird dann gefragt.</translation>
    </message>
    <message>
        <source>Another bay has that position. &quot;One back&quot; returns to it.</source>
        <translation>Diese Stelle hat schon ein anderer Schacht. „Einen zurück“ führt zu ihm.</translation>
    </message>
    <message>
        <source>Bay %1 already has that label.</source>
        <translation>Schacht %1 hat diese Beschriftung schon.</translation>
    </message>
    <message>
        <source>Written. On %1, copy it to %2/chassis.d as root; fmd reads it within seconds.</source>
        <translation>Geschrieben. Auf %1 als root nach %2/chassis.d legen; fmd übernimmt es beim nächsten Hinsehen.</translation>
    </message>
    <message>
        <source>Begin again?</source>
        <translation>Von vorn beginnen?</translation>
    </message>
    <message numerus="yes">
        <source>The %n bay(s) placed so far are dropped.</source>
        <translation>
            <numerusform>Der eine bisher gesetzte Schacht wird verworfen.</numerusform>
            <numerusform>Die %n bisher gesetzten Schächte werden verworfen.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n bay(s) were skipped. Save the description, or go back to them.</source>
        <translation>
            <numerusform>%n Schacht wurde übersprungen. Speichern Sie die Beschreibung, oder gehen Sie zu ihm zurück.</numerusform>
            <numerusform>%n Schächte wurden übersprungen. Speichern Sie die Beschreibung, oder gehen Sie zu ihnen zurück.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>fmd::tray::Notices</name>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Locate</source>
        <translation>Suchlicht</translation>
    </message>
</context>
<context>
    <name>fmd::tray::PartActions</name>
    <message>
        <source>The pool goes on without its log device.</source>
        <translation>Der Pool arbeitet ohne sein Log-Gerät weiter.</translation>
    </message>
    <message>
        <source>How many more losses its group will survive is unknown.</source>
        <translation>Wie viele weitere Ausfälle seine Gruppe übersteht, ist unbekannt.</translation>
    </message>
    <message>
        <source>%1 will survive no further loss.</source>
        <translation>%1 übersteht dann keinen weiteren Ausfall.</translation>
    </message>
    <message numerus="yes">
        <source>%1 will survive %n more loss(es).</source>
        <translation>
            <numerusform>%1 übersteht dann noch %n weiteren Ausfall.</numerusform>
            <numerusform>%1 übersteht dann noch %n weitere Ausfälle.</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Locate</source>
        <translation>&amp;Suchlicht</translation>
    </message>
    <message>
        <source>Take out of ser&amp;vice…</source>
        <translation>&amp;Außer Betrieb nehmen …</translation>
    </message>
    <message>
        <source>Put &amp;back into service…</source>
        <translation>Wieder in &amp;Betrieb nehmen…</translation>
    </message>
    <message>
        <source>Mark &amp;repaired…</source>
        <translation>Als repar&amp;iert melden …</translation>
    </message>
    <message>
        <source>&amp;Acquit…</source>
        <translation>&amp;Freisprechen …</translation>
    </message>
    <message>
        <source>Start a short &amp;self-test</source>
        <translation>Kurzen Selbst&amp;test beginnen</translation>
    </message>
    <message>
        <source>Locate off</source>
        <translation>Suchlicht aus</translation>
    </message>
    <message>
        <source>Locate</source>
        <translation>Suchlicht</translation>
    </message>
    <message>
        <source>Take %1 out of service?</source>
        <translation>%1 außer Betrieb nehmen?</translation>
    </message>
    <message>
        <source>Take out of service</source>
        <translation>Außer Betrieb nehmen</translation>
    </message>
    <message>
        <source>fmd then keeps it in service, whatever its problems say, until you take it out again or they are over.</source>
        <translation>fmd hält es dann in Betrieb, was immer seine Probleme besagen, bis Sie es wieder herausnehmen oder sie vorüber sind.</translation>
    </message>
    <message>
        <source>It is still held to be faulty.</source>
        <translation>Es gilt weiterhin als fehlerhaft.</translation>
    </message>
    <message>
        <source>Put %1 back into service?</source>
        <translation>%1 wieder in Betrieb nehmen?</translation>
    </message>
    <message>
        <source>Put back into service</source>
        <translation>Wieder in Betrieb nehmen</translation>
    </message>
    <message>
        <source>Mark %1 as repaired?</source>
        <translation>%1 als repariert melden?</translation>
    </message>
    <message>
        <source>fmd puts back into service what it had taken out for:</source>
        <translation>fmd nimmt wieder in Betrieb, was es herausgenommen hatte wegen:</translation>
    </message>
    <message>
        <source>Mark repaired</source>
        <translation>Als repariert melden</translation>
    </message>
    <message>
        <source>Mark %1 as replaced?</source>
        <translation>%1 als ersetzt markieren?</translation>
    </message>
    <message>
        <source>Even if the &amp;very same part is still there</source>
        <translation>Auch wenn noch &amp;genau dasselbe Teil da ist</translation>
    </message>
    <message>
        <source>Mark replaced</source>
        <translation>Als ersetzt markieren</translation>
    </message>
    <message>
        <source>This states that the part is not at fault. fmd puts back into service what it had taken out for:</source>
        <translation>Das besagt, dass das Teil keine Schuld trägt. fmd nimmt wieder in Betrieb, was es herausgenommen hatte wegen:</translation>
    </message>
    <message>
        <source>The other suspects stay accused.</source>
        <translation>Die anderen Verdächtigen bleiben beschuldigt.</translation>
    </message>
    <message>
        <source>Acquit %1?</source>
        <translation>%1 freisprechen?</translation>
    </message>
    <message>
        <source>Acquit</source>
        <translation>Freisprechen</translation>
    </message>
    <message>
        <source>Self-test</source>
        <translation>Selbsttest</translation>
    </message>
    <message>
        <source>&amp;Locate: switch off</source>
        <translation>&amp;Suchlicht ausschalten</translation>
    </message>
    <message>
        <source>This bay has no light that can be switched</source>
        <translation>Dieser Schacht hat kein schaltbares Licht</translation>
    </message>
    <message>
        <source>&amp;Mark replaced…</source>
        <translation>Als erset&amp;zt melden …</translation>
    </message>
    <message>
        <source>Safe to pull: %1</source>
        <translation>Darf gezogen werden: %1</translation>
    </message>
</context>
<context>
    <name>fmd::tray::PartHistory</name>
    <message>
        <source>The last 7 days</source>
        <translation>Die letzten 7 Tage</translation>
    </message>
    <message>
        <source>Resolved problems</source>
        <translation>Gelöste Probleme</translation>
    </message>
    <message>
        <source>%1 (serial %2), %3 to %4</source>
        <translation>%1 (Seriennummer %2), %3 bis %4</translation>
    </message>
    <message>
        <source>All readin&amp;gs…</source>
        <translation>Alle Mess&amp;werte …</translation>
    </message>
    <message>
        <source>Previous disks in this bay</source>
        <translation>Frühere Platten in diesem Schacht</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1: kann nicht gelesen werden: %2</translation>
    </message>
    <message>
        <source>Readings</source>
        <translation>Messwerte</translation>
    </message>
</context>
<context>
    <name>PartWords</name>
    <message>
        <source>Empty</source>
        <translation>Leer</translation>
    </message>
    <message>
        <source>serial %1</source>
        <translation>Seriennummer %1</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>in %1</translation>
    </message>
    <message>
        <source>less than a minute left</source>
        <translation>noch weniger als eine Minute</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>noch %1 min</translation>
    </message>
    <message>
        <source>%1 h %2 min left</source>
        <translation>noch %1 h %2 min</translation>
    </message>
    <message>
        <source>%1 d %2 h left</source>
        <translation>noch %1 d %2 h</translation>
    </message>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>cannot be switched</source>
        <translation>lässt sich nicht schalten</translation>
    </message>
    <message>
        <source>passed</source>
        <translation>bestanden</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>durchgefallen</translation>
    </message>
    <message>
        <source>does not answer</source>
        <translation>antwortet nicht</translation>
    </message>
    <message>
        <source>%1 % done</source>
        <translation>%1 % fertig</translation>
    </message>
    <message>
        <source>no estimate yet</source>
        <translation>noch keine Schätzung</translation>
    </message>
    <message>
        <source>Spare, idle</source>
        <translation>Ersatz, bereit</translation>
    </message>
    <message>
        <source>Present, not monitored</source>
        <translation>Vorhanden, nicht überwacht</translation>
    </message>
    <message>
        <source>Unknown: not monitored</source>
        <translation>Unbekannt: nicht überwacht</translation>
    </message>
    <message>
        <source>Rebuilding: data is being copied to it</source>
        <translation>Wird gefüllt: Daten werden darauf kopiert</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>monitored</source>
        <translation>überwacht</translation>
    </message>
    <message>
        <source>not monitored</source>
        <translation>nicht überwacht</translation>
    </message>
    <message>
        <source>in standby</source>
        <translation>in Bereitschaft</translation>
    </message>
    <message>
        <source>resilver</source>
        <translation>Resilver</translation>
    </message>
    <message>
        <source>scrub</source>
        <translation>Scrub</translation>
    </message>
    <message>
        <source>raidz expansion</source>
        <translation>RAIDZ-Erweiterung</translation>
    </message>
    <message>
        <source>reshape</source>
        <translation>Umbau</translation>
    </message>
    <message>
        <source>Watched, healthy</source>
        <translation>Überwacht, in Ordnung</translation>
    </message>
    <message>
        <source>Needs attention (minor)</source>
        <translation>Handlungsbedarf (gering)</translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation>Handlungsbedarf</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Pools</name>
    <message>
        <source>being replaced by %1</source>
        <translation>wird ersetzt durch %1</translation>
    </message>
    <message>
        <source>Pool</source>
        <translation>Pool</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Bay</source>
        <translation>Schacht</translation>
    </message>
    <message>
        <source>Serial</source>
        <translation>Seriennummer</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <source>Pools and their disks</source>
        <translation>Pools und ihre Platten</translation>
    </message>
    <message>
        <source>a spare is resilvering</source>
        <translation>ein Ersatz wird gefüllt</translation>
    </message>
    <message>
        <source>a spare has taken over</source>
        <translation>ein Ersatz ist eingesprungen</translation>
    </message>
    <message>
        <source>%1 I/O, %2 checksum</source>
        <translation>%1 E/A, %2 Prüfsumme</translation>
    </message>
    <message>
        <source>%1 corrected</source>
        <translation>%1 korrigiert</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s) missing</source>
        <translation>
            <numerusform>%n Gerät fehlt</numerusform>
            <numerusform>%n Geräte fehlen</numerusform>
        </translation>
    </message>
    <message>
        <source>complete</source>
        <translation>vollständig</translation>
    </message>
    <message>
        <source>not observed</source>
        <translation>nicht überwacht</translation>
    </message>
    <message>
        <source>No pools, arrays or volumes found.</source>
        <translation>Keine Pools, Arrays oder Volumes gefunden.</translation>
    </message>
    <message>
        <source>Errors: read / write / checksum</source>
        <translation>Fehler: Lesen / Schreiben / Prüfsumme</translation>
    </message>
    <message>
        <source>a spare whose disk is missing</source>
        <translation>eine Reserve, deren Platte fehlt</translation>
    </message>
    <message>
        <source>a spare, for when it is needed</source>
        <translation>eine Reserve für den Bedarfsfall</translation>
    </message>
    <message>
        <source>a cache</source>
        <translation>ein Cache</translation>
    </message>
    <message>
        <source>is filled to stand in for %1</source>
        <translation>wird gefüllt, um %1 zu ersetzen</translation>
    </message>
    <message>
        <source>stands in for %1</source>
        <translation>springt ein für %1</translation>
    </message>
    <message>
        <source>a spare, in use</source>
        <translation>eine Reserve, im Einsatz</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Problems</name>
    <message>
        <source>Search: serial, bay, words, event id</source>
        <translation>Suche: Seriennummer, Schacht, Wörter, Fallnummer</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suche</translation>
    </message>
    <message>
        <source>&amp;Resolved ones too</source>
        <translation>Auch ge&amp;löste</translation>
    </message>
    <message>
        <source>No open problems.</source>
        <translation>Keine offenen Probleme.</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>Schwere</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Wo</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Open problems</source>
        <translation>Offene Probleme</translation>
    </message>
    <message>
        <source>The selected problem</source>
        <translation>Das ausgewählte Problem</translation>
    </message>
    <message>
        <source>&amp;Show the part</source>
        <translation>Teil &amp;zeigen</translation>
    </message>
    <message>
        <source>&amp;Acknowledge</source>
        <translation>&amp;Bestätigen</translation>
    </message>
    <message>
        <source>No more messages about it until it gets worse</source>
        <translation>Keine weiteren Meldungen, bis es schlimmer wird</translation>
    </message>
    <message>
        <source>Acknowledge</source>
        <translation>Bestätigen</translation>
    </message>
    <message>
        <source>, acknowledged</source>
        <translation>, bestätigt</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>Belege</translation>
    </message>
    <message>
        <source>… and more: see Events</source>
        <translation>… und mehr: siehe Ereignisse</translation>
    </message>
    <message>
        <source>No data received yet.</source>
        <translation>Noch keine Daten empfangen.</translation>
    </message>
    <message>
        <source>No matching problems.</source>
        <translation>Keine passenden Probleme.</translation>
    </message>
    <message>
        <source>It cannot be read: %1</source>
        <translation>Sie können nicht gelesen werden: %1</translation>
    </message>
    <message>
        <source>Resolved problems cannot be read: %1</source>
        <translation>Gelöste Probleme können nicht gelesen werden: %1</translation>
    </message>
    <message>
        <source>Means: %1</source>
        <translation>Bedeutet: %1</translation>
    </message>
    <message>
        <source>Done: %1</source>
        <translation>Getan: %1</translation>
    </message>
    <message>
        <source>To do: %1</source>
        <translation>Zu tun: %1</translation>
    </message>
    <message>
        <source>Show the resolved ones</source>
        <translation>Die gelösten zeigen</translation>
    </message>
    <message numerus="yes">
        <source>No open problem matches. %n resolved one(s) do.</source>
        <translation>
            <numerusform>Kein offenes Problem passt, aber %n gelöstes.</numerusform>
            <numerusform>Kein offenes Problem passt, aber %n gelöste.</numerusform>
        </translation>
    </message>
    <message>
        <source>No open problem is known, but not everything is watched: there may be some.</source>
        <translation>Kein offenes Problem ist bekannt, aber nicht alles wird überwacht: Es kann welche geben.</translation>
    </message>
    <message>
        <source>Safe to pull: %1</source>
        <translation>Darf gezogen werden: %1</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>Demo</source>
        <translation>Vorführung</translation>
    </message>
    <message>
        <source>Starting a simulated host…</source>
        <translation>Ein simulierter Rechner wird gestartet …</translation>
    </message>
    <message>
        <source>Next: %1</source>
        <translation>Weiter: %1</translation>
    </message>
    <message>
        <source>Simulated host</source>
        <translation>Simulierter Rechner</translation>
    </message>
</context>
<context>
    <name>Question</name>
    <message>
        <source>fmd</source>
        <translation>fmd</translation>
    </message>
    <message>
        <source>&amp;Yes</source>
        <translation>&amp;Ja</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>&amp;Abbrechen</translation>
    </message>
</context>
<context>
    <name>Readings</name>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Hours in use</source>
        <translation>Betriebsstunden</translation>
    </message>
    <message>
        <source>Wear</source>
        <translation>Abnutzung</translation>
    </message>
    <message>
        <source>Reallocated sectors</source>
        <translation>Umgelagerte Sektoren</translation>
    </message>
    <message>
        <source>Pending sectors</source>
        <translation>Schwebende Sektoren</translation>
    </message>
    <message>
        <source>Uncorrectable sectors</source>
        <translation>Unkorrigierbare Sektoren</translation>
    </message>
    <message>
        <source>Grown defects</source>
        <translation>Gewachsene Defekte</translation>
    </message>
    <message>
        <source>Interface CRC errors</source>
        <translation>CRC-Fehler der Schnittstelle</translation>
    </message>
    <message>
        <source>Media errors</source>
        <translation>Medienfehler</translation>
    </message>
    <message>
        <source>Resilver or scrub rate</source>
        <translation>Geschwindigkeit von Resilver oder Scrub</translation>
    </message>
    <message>
        <source>Sensors: temperature, fans, power</source>
        <translation>Fühler: Temperatur, Lüfter, Leistung</translation>
    </message>
    <message>
        <source>Corrected memory errors</source>
        <translation>Korrigierte Speicherfehler</translation>
    </message>
    <message>
        <source>Uncorrected memory errors</source>
        <translation>Nicht korrigierte Speicherfehler</translation>
    </message>
    <message>
        <source>Corrected errors per minute</source>
        <translation>Korrigierte Fehler je Minute</translation>
    </message>
    <message>
        <source>Read latency</source>
        <translation>Lese-Latenz</translation>
    </message>
    <message>
        <source>Write latency</source>
        <translation>Schreib-Latenz</translation>
    </message>
    <message>
        <source>Read errors in the pool</source>
        <translation>Lesefehler im Pool</translation>
    </message>
    <message>
        <source>Write errors in the pool</source>
        <translation>Schreibfehler im Pool</translation>
    </message>
    <message>
        <source>Checksum errors in the pool</source>
        <translation>Prüfsummenfehler im Pool</translation>
    </message>
    <message>
        <source>Invalid words on the link</source>
        <translation>Ungültige Wörter auf der Leitung</translation>
    </message>
    <message>
        <source>Disparity errors on the link</source>
        <translation>Disparitätsfehler auf der Leitung</translation>
    </message>
    <message>
        <source>Losses of synchronisation</source>
        <translation>Verluste der Synchronisation</translation>
    </message>
    <message>
        <source>Failed resets of the link</source>
        <translation>Gescheiterte Neustarts der Leitung</translation>
    </message>
    <message>
        <source>SMART attribute %1</source>
        <translation>SMART-Attribut %1</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Session</name>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>fmd is not running there. Start it: systemctl start fmd</source>
        <translation>fmd läuft dort nicht. Starten: systemctl start fmd</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Sparkline</name>
    <message>
        <source>from %1 to %2</source>
        <translation>von %1 bis %2</translation>
    </message>
</context>
<context>
    <name>Stale</name>
    <message>
        <source>Not connected: as of %1</source>
        <translation>Nicht verbunden: Stand %1</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Telemetry</name>
    <message>
        <source>Parts</source>
        <translation>Teile</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>Messwert</translation>
    </message>
    <message>
        <source>Broken down by</source>
        <translation>Aufgeteilt nach</translation>
    </message>
    <message>
        <source>by part</source>
        <translation>nach Teil</translation>
    </message>
    <message>
        <source>by pool</source>
        <translation>nach Pool</translation>
    </message>
    <message>
        <source>by chassis</source>
        <translation>nach Gehäuse</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>The last hour</source>
        <translation>Letzte Stunde</translation>
    </message>
    <message>
        <source>The last day</source>
        <translation>Letzter Tag</translation>
    </message>
    <message>
        <source>The last week</source>
        <translation>Letzte Woche</translation>
    </message>
    <message>
        <source>The last month</source>
        <translation>Letzter Monat</translation>
    </message>
    <message>
        <source>The last year</source>
        <translation>Letztes Jahr</translation>
    </message>
    <message>
        <source>Sa&amp;ve…</source>
        <translation>&amp;Speichern …</translation>
    </message>
    <message>
        <source>The picture as PNG, or the values as CSV</source>
        <translation>Das Bild als PNG oder die Werte als CSV</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>Liest …</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>%1 cannot be written</source>
        <translation>%1 kann nicht geschrieben werden</translation>
    </message>
    <message>
        <source>&amp;All of it</source>
        <translation>G&amp;anz</translation>
    </message>
    <message>
        <source>None selected: all parts are shown</source>
        <translation>Nichts ausgewählt: alle Teile werden gezeigt</translation>
    </message>
    <message>
        <source>Shows the whole time range (0)</source>
        <translation>Zeigt den ganzen Zeitraum (0)</translation>
    </message>
    <message>
        <source>No readings in this time range.</source>
        <translation>Keine Messwerte in diesem Zeitraum.</translation>
    </message>
    <message>
        <source>The %1 highest of %2 are shown; select parts to see others.</source>
        <translation>Die %1 größten von %2; für andere Teile auswählen.</translation>
    </message>
    <message>
        <source>by host</source>
        <translation>nach Rechner</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>Second reading</source>
        <translation>Zweiter Messwert</translation>
    </message>
    <message>
        <source>no second reading</source>
        <translation>kein zweiter Messwert</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>Bild (*.png)</translation>
    </message>
    <message>
        <source>Values (*.csv)</source>
        <translation>Werte (*.csv)</translation>
    </message>
</context>
<context>
    <name>fmd::tray::TimeChart</name>
    <message>
        <source>Readings over time</source>
        <translation>Messwerte über der Zeit</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1: %2, %3</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Tray</name>
    <message>
        <source>Locate</source>
        <translation>Suchlicht</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Safe to pull: %1</source>
        <translation>Darf gezogen werden: %1</translation>
    </message>
</context>
<context>
    <name>fmd::tray::Window</name>
    <message>
        <source>Hardware faults</source>
        <translation>Hardwarefehler</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>&amp;Hosts</source>
        <translation>&amp;Rechner</translation>
    </message>
    <message>
        <source>&amp;Add a host…</source>
        <translation>Rechner &amp;hinzufügen …</translation>
    </message>
    <message>
        <source>&amp;Remove this host</source>
        <translation>Diesen Rechner &amp;entfernen</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Schließen</translation>
    </message>
    <message>
        <source>All hosts</source>
        <translation>Alle Rechner</translation>
    </message>
    <message>
        <source>%1, as of %2</source>
        <translation>%1, Stand %2</translation>
    </message>
    <message>
        <source>%1: hardware faults</source>
        <translation>%1: Hardwarefehler</translation>
    </message>
    <message>
        <source>Add a host</source>
        <translation>Rechner hinzufügen</translation>
    </message>
    <message>
        <source>Host name, or USER@HOST. fmtray connects by ssh with your key; no port needs to be opened.</source>
        <translation>Name des Rechners oder BENUTZER@RECHNER. fmtray verbindet sich über ssh mit Ihrem Schlüssel; kein Port muss geöffnet werden.</translation>
    </message>
    <message>
        <source>%1 is not a host name, or is already listed</source>
        <translation>%1 ist kein Rechnername oder schon da</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>Critical</source>
        <translation>Kritisch</translation>
    </message>
    <message>
        <source>Major</source>
        <translation>Schwer</translation>
    </message>
    <message>
        <source>Minor</source>
        <translation>Gering</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Offen</translation>
    </message>
    <message>
        <source>Resolved</source>
        <translation>Gelöst</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>Was geschah</translation>
    </message>
    <message>
        <source>What it means</source>
        <translation>Was es bedeutet</translation>
    </message>
    <message>
        <source>What was done</source>
        <translation>Was getan wurde</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>Was zu tun ist</translation>
    </message>
    <message>
        <source>Suspect: %1 (%2), %3 %</source>
        <translation>Verdächtig: %1 (%2), %3 %</translation>
    </message>
    <message numerus="yes">
        <source>Evidence: %n event(s)</source>
        <translation>
            <numerusform>Belege: %n Ereignis</numerusform>
            <numerusform>Belege: %n Ereignisse</numerusform>
        </translation>
    </message>
    <message>
        <source>Seen: %1</source>
        <translation>Gesehen: %1</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>Vorderseite</translation>
    </message>
    <message>
        <source>Rear</source>
        <translation>Rückseite</translation>
    </message>
    <message>
        <source>From above</source>
        <translation>Von oben</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>Innen</translation>
    </message>
    <message>
        <source>Parts whose place is not described</source>
        <translation>Teile, deren Platz nicht beschrieben ist</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>leer</translation>
    </message>
    <message>
        <source>spare</source>
        <translation>Reserve</translation>
    </message>
    <message>
        <source>Not diagnosed yet</source>
        <translation>Noch nicht diagnostiziert</translation>
    </message>
    <message>
        <source>Repaired, closing</source>
        <translation>Repariert, wird abgeschlossen</translation>
    </message>
    <message>
        <source>Not described: shown in the order of its labels</source>
        <translation>Nicht beschrieben: in der Reihenfolge der Beschriftungen</translation>
    </message>
    <message>
        <source>not monitored</source>
        <translation>nicht überwacht</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>rebuilding</source>
        <translation>wird gefüllt</translation>
    </message>
    <message>
        <source>locate light on</source>
        <translation>Suchlicht an</translation>
    </message>
    <message>
        <source>fault light on</source>
        <translation>Fehlerlicht an</translation>
    </message>
    <message>
        <source>faulty</source>
        <translation>fehlerhaft</translation>
    </message>
    <message>
        <source>repaired</source>
        <translation>repariert</translation>
    </message>
    <message>
        <source>replaced</source>
        <translation>ersetzt</translation>
    </message>
    <message>
        <source>acquitted</source>
        <translation>freigesprochen</translation>
    </message>
    <message>
        <source>in another case now</source>
        <translation>jetzt in einem anderen Fall</translation>
    </message>
    <message>
        <source>diagnosed</source>
        <translation>diagnostiziert</translation>
    </message>
    <message>
        <source>updated</source>
        <translation>aktualisiert</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>wartet</translation>
    </message>
    <message>
        <source>taken out of service</source>
        <translation>außer Betrieb genommen</translation>
    </message>
    <message>
        <source>out of service</source>
        <translation>außer Betrieb</translation>
    </message>
    <message>
        <source>new disk</source>
        <translation>neue Platte</translation>
    </message>
    <message>
        <source>fault light</source>
        <translation>Fehlerlicht</translation>
    </message>
    <message>
        <source>message</source>
        <translation>Nachricht</translation>
    </message>
    <message>
        <source>acknowledged</source>
        <translation>bestätigt</translation>
    </message>
    <message>
        <source>merged</source>
        <translation>zusammengelegt</translation>
    </message>
    <message>
        <source>isolated</source>
        <translation>isoliert</translation>
    </message>
    <message>
        <source>resolved</source>
        <translation>gelöst</translation>
    </message>
    <message>
        <source>note</source>
        <translation>Notiz</translation>
    </message>
    <message>
        <source>%1 failed: %2</source>
        <translation>%1 misslang: %2</translation>
    </message>
    <message>
        <source>%1: done</source>
        <translation>%1: erledigt</translation>
    </message>
    <message>
        <source>explained</source>
        <translation>erklärt</translation>
    </message>
    <message>
        <source>serial %1</source>
        <translation>Seriennummer %1</translation>
    </message>
    <message>
        <source>%1 (serial %2)</source>
        <translation>%1 (Seriennummer %2)</translation>
    </message>
    <message>
        <source>What to do now</source>
        <translation>Was jetzt zu tun ist</translation>
    </message>
    <message>
        <source>Safe to pull</source>
        <translation>Darf gezogen werden</translation>
    </message>
    <message>
        <source>Redundancy</source>
        <translation>Redundanz</translation>
    </message>
    <message>
        <source>What happens next</source>
        <translation>Wie es weitergeht</translation>
    </message>
    <message>
        <source>If you disagree</source>
        <translation>Wenn Sie anderer Meinung sind</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>Yes: %1</source>
        <translation>Ja: %1</translation>
    </message>
    <message>
        <source>No: %1</source>
        <translation>Nein: %1</translation>
    </message>
    <message>
        <source>Needs you</source>
        <translation>Sie sind gefragt</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>In Arbeit</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Erledigt</translation>
    </message>
    <message>
        <source>watched, healthy</source>
        <translation>überwacht, in Ordnung</translation>
    </message>
    <message>
        <source>needs attention (minor)</source>
        <translation>Handlungsbedarf (gering)</translation>
    </message>
    <message>
        <source>needs attention</source>
        <translation>Handlungsbedarf</translation>
    </message>
</context>
</TS>
